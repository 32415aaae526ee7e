#include "services/regressd/server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "regressd/v1/commit_service.grpc.pb.h"
#include "regressd/v1/compare_service.grpc.pb.h"
#include "regressd/v1/ingest_service.grpc.pb.h"
#include "regressd/v1/regression_service.grpc.pb.h"
#include "regressd/v1/report_service.grpc.pb.h"
#include "regressd/v1/run_service.grpc.pb.h"
#include "services/regressd/call_counter.h"

namespace regressd {
namespace {

// Bounds what one call can make us hold. More than any service takes, so that the service itself
// says what is too large.
constexpr int kMaxMessageBytes = 8 << 20;
constexpr std::size_t kMemoryQuotaBytes = 512 << 20;
constexpr int kMaxThreads = 256;  // Streams of the query services keep one each.

std::vector<std::string> ServiceNames() {
  return {"",  // The whole server.
          v1::CommitService::service_full_name(),
          v1::CompareService::service_full_name(),
          v1::IngestService::service_full_name(),
          v1::RegressionService::service_full_name(),
          v1::ReportService::service_full_name(),
          v1::RunService::service_full_name()};
}

void Limit(grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  grpc::ResourceQuota quota("regressd");
  quota.Resize(kMemoryQuotaBytes).SetMaxThreads(kMaxThreads);
  builder.SetResourceQuota(quota);
  // A machine that lost its power keeps no stream open for ever.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 30000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10000);
  // gRPC's default lets two servers share a port, and neither knows.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
}

}  // namespace

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(
    const Options& options, std::span<grpc::Service* const> services) {
  // Plugins are made at most once and stay: they count for every builder after.
  grpc::EnableDefaultHealthCheckService(true);
  if (options.reflection) grpc::reflection::InitProtoReflectionServerBuilderPlugin();

  std::unique_ptr<GrpcServer> started(new GrpcServer);
  grpc::ServerBuilder builder;
  builder.AddListeningPort(options.listen, grpc::InsecureServerCredentials(), &started->port_);
  Limit(builder);
  std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> interceptors;
  interceptors.push_back(started->calls_->MakeInterceptorFactory());
  builder.experimental().SetInterceptorCreators(std::move(interceptors));
  for (grpc::Service* service : services) builder.RegisterService(service);
  started->server_ = builder.BuildAndStart();
  if (started->server_ == nullptr || started->port_ == 0) {
    return absl::UnavailableError(
        fmt::format("cannot listen for gRPC on {}: the port is taken or the address is not of this "
                    "machine; choose another with --grpc-listen",
                    options.listen));
  }
  started->SetServing(false);
  return started;
}

GrpcServer::GrpcServer() : calls_(std::make_unique<CallCounter>()) {}

GrpcServer::~GrpcServer() { Shutdown(std::chrono::system_clock::now()); }

void GrpcServer::SetServing(bool serving) {
  for (const std::string& name : ServiceNames()) {
    server_->GetHealthCheckService()->SetServingStatus(name, serving);
  }
}

void GrpcServer::Shutdown(std::chrono::system_clock::time_point deadline) {
  // For a call that comes between the wait and the shutdown.
  constexpr std::chrono::milliseconds kStragglers{250};
  if (server_ == nullptr) return;
  calls_->AwaitNone(deadline);
  server_->Shutdown(std::min(deadline, std::chrono::system_clock::now() + kStragglers));
}

}  // namespace regressd
