#include "services/ingest/ingest_service.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "services/common/grpc_status.h"

namespace regressd::ingest {
namespace {

constexpr char kPushMethod[] = "/regressd.v1.IngestService/Push";

/// A stream that ends before it begins.
class RefusingReactor : public grpc::ServerBidiReactor<v1::PushRequest, v1::PushResponse> {
 public:
  explicit RefusingReactor(const absl::Status& why) { Finish(common::ToGrpc(why)); }
  void OnDone() override { delete this; }
};

}  // namespace

/// Hands what gRPC says to a session and the reverse. The session may outlive it, since a committer
/// may hold it; it does not touch its transport after Finish, and OnDone comes after that.
class IngestServiceImpl::PushReactor
    : public grpc::ServerBidiReactor<v1::PushRequest, v1::PushResponse>,
      public PushTransport {
 public:
  PushReactor(IngestServiceImpl& service, std::string created_by)
      : service_(service),
        session_(std::make_shared<PushSession>(*this, service.committers_, service.metrics_,
                                               std::move(created_by))) {}

  const std::shared_ptr<PushSession>& session() const { return session_; }

  void Read() override { StartRead(&request_); }
  void Write(const v1::PushResponse& response) override { StartWrite(&response); }
  void Finish(const absl::Status& status) override {
    ServerBidiReactor::Finish(common::ToGrpc(status));
  }

  void OnReadDone(bool ok) override {
    if (ok) {
      session_->OnMessage(request_);
    } else {
      session_->OnReadsDone();
    }
  }
  void OnWriteDone(bool ok) override { session_->OnWritten(ok); }
  void OnCancel() override { session_->OnCancelled(); }
  void OnDone() override {
    service_.Remove(session_);
    delete this;
  }

 private:
  IngestServiceImpl& service_;
  const std::shared_ptr<PushSession> session_;
  v1::PushRequest request_;  // One for the whole stream: its memory is used again.
};

IngestServiceImpl::IngestServiceImpl(storage::CommitterPool& committers,
                                     const auth::Authorizer& authorizer, IngestMetrics& metrics,
                                     const Options& options)
    : committers_(committers), guard_(authorizer), metrics_(metrics), options_(options) {}

grpc::ServerBidiReactor<v1::PushRequest, v1::PushResponse>* IngestServiceImpl::Push(
    grpc::CallbackServerContext* context) {
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
