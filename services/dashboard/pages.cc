#include "services/dashboard/pages.h"

#include <string>
#include <utility>

#include "services/dashboard/compare_page.h"
#include "services/dashboard/layout.h"
#include "services/dashboard/regression_list_page.h"
#include "services/dashboard/regression_page.h"
#include "services/dashboard/run_list_page.h"
#include "services/dashboard/run_page.h"

namespace regressd::dashboard {
namespace {

auth::Credentials CredentialsOf(const http::Request& request) {
  constexpr std::string_view kBearer = "Bearer ";
  auth::Credentials credentials{.bearer_token = std::nullopt, .peer = request.peer_address};
  const auto header = request.headers.find("authorization");
  if (header != request.headers.end() && header->second.starts_with(kBearer)) {
    credentials.bearer_token = header->second.substr(kBearer.size());
  }
  return credentials;
}

}  // namespace

Pages::Pages(query::Comparer& comparer, storage::RunStore& runs, storage::CommitStore& commits,
             storage::RegressionStore& regressions, const auth::Authorizer& authorizer)
    : comparer_(comparer),
      runs_(runs),
      commits_(commits),
      regressions_(regressions),
      authorizer_(authorizer) {}

http::HttpServer::Handler Pages::Guarded(std::string_view name,
                                         http::HttpServer::Handler page) const {
  return [this, name = std::string(name), page = std::move(page)](const http::Request& request) {
    const auto caller = authorizer_.Authorize(name, CredentialsOf(request));
    if (!caller.ok()) return ErrorPage(Section::kRegressions, request, caller.status());
    return page(request);
  };
}

void Pages::AddTo(http::HttpServer& server) {
  server.Get("/", Guarded("/page/regressions", [this](const http::Request& request) {
               return RegressionListPage(request, commits_, regressions_);
             }));
  server.Get("/r/(.+)", Guarded("/page/regression", [this](const http::Request& request) {
               return RegressionPage(request, comparer_, regressions_);
             }));
  server.Get("/compare", Guarded("/page/compare", [this](const http::Request& request) {
               return ComparePage(request, comparer_);
             }));
  server.Get("/runs", Guarded("/page/runs", [this](const http::Request& request) {
               return RunListPage(request, runs_, commits_);
             }));
  server.Get("/run/(.+)", Guarded("/page/run", [this](const http::Request& request) {
               return RunPage(request, runs_);
             }));
  // The same for everybody and without data.
  server.Get("/style.css", [](const http::Request&) { return StyleSheet(); });
}

}  // namespace regressd::dashboard
