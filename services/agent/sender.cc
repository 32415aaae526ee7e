#include "services/agent/sender.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>
#include <poll.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "regressd/v1/ingest_service.grpc.pb.h"
#include "services/agent/wake_event.h"
#include "services/common/grpc_status.h"

namespace regressd::agent {
namespace {

using Clock = std::chrono::steady_clock;

// After Ended the server closes the stream; nothing depends on it any more.
constexpr std::chrono::seconds kCloseTimeout{5};

std::shared_ptr<grpc::Channel> MakeChannel(const SenderOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, static_cast<int>(options.keepalive.count()));
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20000);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // The channel's own back-off must not outlast ours.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS,
                   static_cast<int>(options.min_backoff.count()));
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS,
                   static_cast<int>(options.min_backoff.count()));
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS,
                   static_cast<int>(options.max_backoff.count()));
  // Each stream has a channel of its own, which owes nothing to the failures of earlier ones.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  // Test machines reach their server directly, whatever proxy their shell names.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetUserAgentPrefix("regress-agent/" REGRESSD_VERSION);
  return grpc::CreateCustomChannel(options.server, grpc::InsecureChannelCredentials(), arguments);
}

/// Errors after which the same messages would only be refused again.
bool IsRefusal(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kUnimplemented:
      return true;
    default:
      return false;
  }
}

/// Cancels a stream when an awaited answer does not come.
class Watchdog {
 public:
  explicit Watchdog(grpc::ClientContext& context)
      : context_(context), thread_([this](const std::stop_token& stop) { Run(stop); }) {}

  void Expect(std::chrono::milliseconds timeout) {
    const std::lock_guard lock(mutex_);
    deadline_ = Clock::now() + timeout;
    changed_.notify_all();
  }
  void Received() {
    const std::lock_guard lock(mutex_);
    deadline_.reset();
  }
  bool expired() const {
    const std::lock_guard lock(mutex_);
    return expired_;
  }

 private:
  void Run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      if (!deadline_) {
        changed_.wait(lock, stop, [this] { return deadline_.has_value(); });
      } else if (Clock::now() >= *deadline_) {
        expired_ = true;
        context_.TryCancel();
        return;
      } else {
        const Clock::time_point until = *deadline_;
        changed_.wait_until(lock, stop, until, [&] { return deadline_ != until; });
      }
    }
  }

  grpc::ClientContext& context_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Clock::time_point> deadline_;
  bool expired_ = false;
  std::jthread thread_;  // Last: it uses what stands above.
};

}  // namespace

class Sender::Work {
 public:
  Work(SenderOptions options, Spool& spool) : options_(std::move(options)), spool_(spool) {
    thread_ = std::jthread([this] { Run(); });
  }

  ~Work() {
    stopping_ = true;
    {
      const std::lock_guard lock(mutex_);
      if (context_ != nullptr) context_->TryCancel();
      changed_.notify_all();
    }
    interrupted_ = true;
    spool_.Wake();
    thread_.join();
  }

  SenderState state() const {
    const std::lock_guard lock(mutex_);
    return state_;
  }
  int done_fd() const { return done_.fd(); }

 private:
  using Stream = grpc::ClientReaderWriter<v1::PushRequest, v1::PushResponse>;

  void Run() {
    std::chrono::milliseconds backoff = options_.min_backoff;
    while (!stopping_) {
      const std::int64_t acknowledged_before = spool_.stats().acknowledged_count;
      const absl::Status status = RunStream();
      if (ended_) {
        Finish(Delivery::kDelivered, absl::OkStatus());
        return;
      }
      if (IsRefusal(status)) {
        Finish(Delivery::kRefused, status);
        return;
      }
      if (stopping_) return;
      // Only what the server stored is progress: a stream that comes up and breaks at the same
      // message every time must not hammer it.
      if (spool_.stats().acknowledged_count > acknowledged_before) backoff = options_.min_backoff;
      NoteBreak(status);
      Sleep(backoff);
      backoff = std::min(backoff * 2, options_.max_backoff);
    }
  }

  void NoteBreak(const absl::Status& status) {
    const std::lock_guard lock(mutex_);
    if (status != warned_of_) {
      warned_of_ = status;
      spdlog::warn("server {}: {}; keeping the samples and trying again", options_.server,
                   std::string(status.message()));
    }
    state_.connected = false;
    state_.last_error = status;
  }

  void Finish(Delivery delivery, const absl::Status& status) {
    {
      const std::lock_guard lock(mutex_);
      state_.delivery = delivery;
      state_.connected = false;
      state_.last_error = status;
    }
    done_.Set();
  }

  void Sleep(std::chrono::milliseconds backoff) {
    // Full jitter above a floor: many agents must not come back in step.
    std::uniform_int_distribution<std::int64_t> jitter(backoff.count() / 2, backoff.count());
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(jitter(random_)),
                      [this] { return stopping_.load(); });
  }

  /// One stream from Hello to its end.
  ///
  /// gRPC's own timers wait by the wall clock: one that was running when the clock was set back by
  /// an hour comes an hour late. So nothing here waits for one: the watchdog ends what takes too
  /// long, and a channel that failed, which would try again by such a timer, is not used again.
  absl::Status RunStream() {
    const std::shared_ptr<grpc::Channel> channel = MakeChannel(options_);
    bool connected = false;
    grpc::ClientContext context;
    {
      const std::lock_guard lock(mutex_);
      context_ = &context;
    }
    absl::Status status;
    {
      Watchdog watchdog(context);
      const auto stub = v1::IngestService::NewStub(channel);
      watchdog.Expect(options_.connect_timeout);
      const std::unique_ptr<Stream> stream = stub->Push(&context);
      connected = channel->GetState(false) == GRPC_CHANNEL_READY;
      if (connected) Talk(*stream, watchdog);
      if (stopping_) context.TryCancel();  // Finish would wait for the server otherwise.
      status = common::FromGrpc(stream->Finish());
      if (watchdog.expired()) status = absl::DeadlineExceededError("no answer from the server");
      if (refusal_) status = *refusal_;
    }
    const std::lock_guard lock(mutex_);
    context_ = nullptr;
    if (!connected && !IsRefusal(status)) return absl::UnavailableError("not reachable");
    if (status.ok()) return absl::UnavailableError("the server ended the stream");
    return status;
  }

  /// Says Hello, sends while a second thread listens; returns when the stream has no more to say.
  void Talk(Stream& stream, Watchdog& watchdog) {
    v1::PushRequest hello;
    *hello.mutable_hello() = spool_.hello();
    watchdog.Expect(options_.answer_timeout);
    if (stopping_ || !stream.Write(hello)) return;
    v1::PushResponse response;
    if (!stream.Read(&response)) return;
    watchdog.Received();
    if (!response.has_resume()) {
      refusal_ = absl::UnimplementedError("the server answered Hello with something else");
      CancelStream();
      return;
    }
    if (!TakeResume(response.resume())) {
      stream.WritesDone();
      CancelStream();
      return;
    }
    interrupted_ = stopping_.load();
    std::jthread listener([&] { Listen(stream, watchdog); });
    Send(stream, response.resume(), watchdog);
    stream.WritesDone();
    listener.join();
  }

  /// False when nothing more is to be said.
  bool TakeResume(const v1::Resume& resume) {
    const std::lock_guard lock(mutex_);
    ++state_.stream_count;
    state_.connected = true;
    if (!resume.already_ended()) return true;
    if (spool_.has_end()) {
      ended_ = true;
    } else {
      refusal_ = absl::FailedPreconditionError(
          fmt::format("run {} has ended on the server", spool_.hello().run().run_uuid()));
    }
    return false;
  }

  void Send(Stream& stream, const v1::Resume& resume, Watchdog& watchdog) {
    for (const v1::PushRequest& message : spool_.BeginStream(resume)) {
      if (!stream.Write(message)) return;
    }
    Spool::Window window;
    if (resume.window_batch_count() > 0) window.batch_count = resume.window_batch_count();
    while (std::optional<v1::PushRequest> message = spool_.Next(window, interrupted_)) {
      if (message->has_end()) watchdog.Expect(options_.answer_timeout);
      if (!stream.Write(*message)) return;
    }
  }

  void Listen(Stream& stream, Watchdog& watchdog) {
    v1::PushResponse response;
    while (stream.Read(&response)) {
      if (response.has_ack()) TakeAck(response.ack());
      if (response.has_ended()) {
        ended_ = true;
        watchdog.Expect(kCloseTimeout);
      }
      // Pause is a hint; flow control and the window already hold back what the server cannot take.
    }
    interrupted_ = true;
    spool_.Wake();
  }

  void TakeAck(const v1::Ack& ack) {
    const std::int64_t before = spool_.stats().acknowledged_count;
    spool_.Acknowledge(ack);
    if (spool_.stats().acknowledged_count == before) return;
    const std::lock_guard lock(mutex_);
    if (!state_.last_error.ok()) spdlog::info("server {}: goes on", options_.server);
    state_.last_error = absl::OkStatus();
    warned_of_ = absl::OkStatus();
  }

  void CancelStream() {
    const std::lock_guard lock(mutex_);
    if (context_ != nullptr) context_->TryCancel();
  }

  const SenderOptions options_;
  Spool& spool_;
  WakeEvent done_;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> interrupted_ = false;  // The stream at hand is over.
  std::atomic<bool> ended_ = false;
  std::optional<absl::Status> refusal_;  // Found by the agent itself. Only the thread's.
  std::minstd_rand random_{std::random_device{}()};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  SenderState state_;
  absl::Status warned_of_;  // Said once, until the server stores something again.
  grpc::ClientContext* context_ = nullptr;
  std::jthread thread_;
};

Sender::Sender(SenderOptions options, Spool& spool)
    : work_(std::make_unique<Work>(std::move(options), spool)) {}

Sender::~Sender() = default;

SenderState Sender::state() const { return work_->state(); }

int Sender::done_fd() const { return work_->done_fd(); }

SenderState WaitForDelivery(const Sender& sender, std::chrono::milliseconds timeout,
                            TerminationSignal& termination) {
  std::array<pollfd, 2> polled = {pollfd{.fd = sender.done_fd(), .events = POLLIN, .revents = 0},
                                  pollfd{.fd = termination.fd(), .events = POLLIN, .revents = 0}};
  poll(polled.data(), polled.size(), static_cast<int>(timeout.count()));
  if ((polled[1].revents & POLLIN) != 0) termination.Take();
  return sender.state();
}

}  // namespace regressd::agent
