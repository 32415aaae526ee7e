#include "services/regressd/call_counter.h"

#include <string_view>

namespace regressd {

// Lives as long as its call.
class CallCounter::Call : public grpc::experimental::Interceptor {
 public:
  explicit Call(CallCounter* counter) : counter_(counter) {
    if (counter_ == nullptr) return;
    const std::lock_guard lock(counter_->mutex_);
    ++counter_->count_;
  }
  ~Call() override {
    if (counter_ == nullptr) return;
    const std::lock_guard lock(counter_->mutex_);
    if (--counter_->count_ == 0) counter_->ended_.notify_all();
  }
  void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override {
    methods->Proceed();
  }

 private:
  CallCounter* counter_;  // Null for a call that is not counted.
};

class CallCounter::Factory : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  explicit Factory(CallCounter& counter) : counter_(counter) {}

  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* info) override {
    constexpr std::string_view kOwn = "/regressd.";
    const std::string_view method = info->method() == nullptr ? "" : info->method();
    return new Call(method.substr(0, kOwn.size()) == kOwn ? &counter_
                                                          : nullptr);  // gRPC deletes it.
  }

 private:
  CallCounter& counter_;
};

std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>
CallCounter::MakeInterceptorFactory() {
  return std::make_unique<Factory>(*this);
}

bool CallCounter::AwaitNone(std::chrono::system_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return ended_.wait_until(lock, deadline, [&] { return count_ == 0; });
}

}  // namespace regressd
