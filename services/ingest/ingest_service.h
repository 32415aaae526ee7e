#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <set>

#include "regressd/v1/ingest_service.grpc.pb.h"
#include "services/auth/authorizer.h"
#include "services/auth/grpc_credentials.h"
#include "services/ingest/ingest_metrics.h"
#include "services/ingest/push_session.h"
#include "storage/committer_pool.h"

namespace regressd::ingest {

/// IngestService over gRPC's callback interface: no thread waits for a stream. Takes messages as
/// bytes and parses them itself, since gRPC ends a stream whose message it cannot parse as if its
/// agent had said everything. Thread-safe; what it is given must outlive it, and it must outlive
/// the server that it is registered with.
class IngestServiceImpl
    : public v1::IngestService::WithRawCallbackMethod_Push<v1::IngestService::Service> {
 public:
  struct Options {
    std::size_t max_streams = 10'000;
    /// Of one message. The server should take more, so that a larger one is answered here.
    std::size_t max_message_bytes = 4 << 20;
  };

  IngestServiceImpl(storage::CommitterPool& committers, const auth::Authorizer& authorizer,
                    IngestMetrics& metrics, const Options& options);
  IngestServiceImpl(storage::CommitterPool& committers, const auth::Authorizer& authorizer,
                    IngestMetrics& metrics)
      : IngestServiceImpl(committers, authorizer, metrics, Options()) {}

  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* Push(
      grpc::CallbackServerContext* context) override;

  /// Takes no new streams, and ends each open one with UNAVAILABLE once all that it took is stored
  /// and acknowledged, so that its agent resumes elsewhere or later. Returns true when all are gone
  /// within `timeout`. Call it before Server::Shutdown.
  bool Drain(std::chrono::milliseconds timeout);

 private:
  class PushReactor;

  absl::Status Admit(const std::shared_ptr<PushSession>& session);
  void Remove(const std::shared_ptr<PushSession>& session);

  storage::CommitterPool& committers_;
  const auth::Guard guard_;
  IngestMetrics& metrics_;
  const Options options_;

  std::mutex mutex_;
  std::condition_variable removed_;
  std::set<std::shared_ptr<PushSession>> sessions_;  ///< Guarded by mutex_.
  bool draining_ = false;                            ///< Guarded by mutex_.
};

}  // namespace regressd::ingest
