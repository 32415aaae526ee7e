#include "services/ingest/ingest_service.h"

#include <fmt/format.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <string>
#include <utility>
#include <vector>

#include "services/common/grpc_status.h"

namespace regressd::ingest {
namespace {

constexpr char kPushMethod[] = "/regressd.v1.IngestService/Push";

using RawReactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

/// A stream that ends before it begins.
class RefusingReactor : public RawReactor {
 public:
  explicit RefusingReactor(const absl::Status& why) { Finish(common::ToGrpc(why)); }
  void OnDone() override { delete this; }
};

}  // namespace

/// Hands what gRPC says to a session and the reverse. The session may outlive it, since a committer
/// may hold it; it does not touch its transport after Finish, and OnDone comes after that.
class IngestServiceImpl::PushReactor : public RawReactor, public PushTransport {
 public:
  PushReactor(IngestServiceImpl& service, std::string created_by)
      : service_(service),
        session_(std::make_shared<PushSession>(*this, service.committers_, service.metrics_,
                                               std::move(created_by))) {}

  const std::shared_ptr<PushSession>& session() const { return session_; }

  void Read() override { StartRead(&received_); }
  void Write(const v1::PushResponse& response) override {
    bool own_buffer = false;
    grpc::SerializationTraits<v1::PushResponse>::Serialize(response, &sent_, &own_buffer);
    StartWrite(&sent_);
  }
  void Finish(const absl::Status& status) override { RawReactor::Finish(common::ToGrpc(status)); }

  void OnReadDone(bool ok) override {
    if (!ok) return session_->OnReadsDone();
    const absl::Status parsed = Parse();
    if (!parsed.ok()) return session_->OnUnreadable(parsed);
    session_->OnMessage(request_);
  }
  void OnWriteDone(bool ok) override { session_->OnWritten(ok); }
  void OnCancel() override { session_->OnCancelled(); }
  void OnDone() override {
    service_.Remove(session_);
    delete this;
  }

 private:
  absl::Status Parse() {
    ++message_count_;
    const std::size_t size = received_.Length();
    if (size > service_.options_.max_message_bytes) {
      return absl::InvalidArgumentError(
          fmt::format("message {} of this stream has {} bytes; at most {} are taken, send smaller "
                      "batches",
                      message_count_, size, service_.options_.max_message_bytes));
    }
    if (grpc::SerializationTraits<v1::PushRequest>::Deserialize(&received_, &request_).ok()) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        fmt::format("message {} of this stream, {} bytes, cannot be parsed as a {}: it is cut "
                    "short or damaged, or a text in it is not UTF-8; send it as it should be",
                    message_count_, size, v1::PushRequest::descriptor()->full_name()));
  }

  IngestServiceImpl& service_;
  const std::shared_ptr<PushSession> session_;
  grpc::ByteBuffer received_;
  grpc::ByteBuffer sent_;
  v1::PushRequest request_;  // One for the whole stream: its memory is used again.
  std::int64_t message_count_ = 0;
};

IngestServiceImpl::IngestServiceImpl(storage::CommitterPool& committers,
                                     const auth::Authorizer& authorizer, IngestMetrics& metrics,
                                     const Options& options)
    : committers_(committers), guard_(authorizer), metrics_(metrics), options_(options) {}

RawReactor* IngestServiceImpl::Push(grpc::CallbackServerContext* context) {
  const absl::StatusOr<auth::Caller> caller = guard_.Admit(*context, kPushMethod);
  if (!caller.ok()) return new RefusingReactor(caller.status());
  auto reactor = std::make_unique<PushReactor>(*this, caller->name);
  if (const absl::Status admitted = Admit(reactor->session()); !admitted.ok()) {
    metrics_.Rejected(admitted);
    return new RefusingReactor(admitted);
  }
  reactor->session()->Start();
  return reactor.release();  // Deletes itself in OnDone.
}

absl::Status IngestServiceImpl::Admit(const std::shared_ptr<PushSession>& session) {
  const std::lock_guard lock(mutex_);
  if (draining_) {
    return absl::UnavailableError("the server is about to stop; try again with back-off");
  }
  if (sessions_.size() >= options_.max_streams) {
    return absl::ResourceExhaustedError(
        fmt::format("{} streams are open, the most this server takes; try again with back-off",
                    sessions_.size()));
  }
  sessions_.insert(session);
  metrics_.StreamOpened();
  return absl::OkStatus();
}

void IngestServiceImpl::Remove(const std::shared_ptr<PushSession>& session) {
  const std::lock_guard lock(mutex_);
  sessions_.erase(session);
  metrics_.StreamClosed();
  removed_.notify_all();
}

bool IngestServiceImpl::Drain(std::chrono::milliseconds timeout) {
  std::vector<std::shared_ptr<PushSession>> open;
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
    open.assign(sessions_.begin(), sessions_.end());
  }
  for (const auto& session : open) session->Drain();
  std::unique_lock lock(mutex_);
  return removed_.wait_for(lock, timeout, [this] { return sessions_.empty(); });
}

}  // namespace regressd::ingest
