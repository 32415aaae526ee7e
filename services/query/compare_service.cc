#include "services/query/compare_service.h"

#include <utility>

#include "services/common/convert.h"
#include "services/common/field_checks.h"
#include "services/query/compare_page.h"
#include "services/query/handle.h"
#include "services/query/paging.h"

namespace regressd::query {
namespace {

constexpr PageLimits kPages{.default_size = 20000, .max_size = 20000};
constexpr std::size_t kMaxNameBytes = 2048;

absl::StatusOr<CompareQuery> FromProto(const v1::CompareRequest& request) {
  common::FieldChecks checks("");
  checks.Count("columns", request.columns_size(), static_cast<int>(kMaxColumns));
  CompareQuery query;
  for (int i = 0; i < request.columns_size() && checks.ok(); ++i) {
    const std::string field = common::IndexPath("columns", i);
    checks.Name(field + ".commit", request.columns(i).commit(), kMaxNameBytes);
    auto axes = common::FromProto(request.columns(i).axes(), field + ".axes");
    checks.Merge(field, axes.status());
    if (axes.ok()) query.columns.push_back({request.columns(i).commit(), *std::move(axes)});
  }
  auto axes = common::FromProto(request.axes(), "axes");
  checks.Merge("axes", axes.status());
  if (axes.ok()) query.axes = *std::move(axes);
  query.metric_regex = request.metric_regex();
  if (!checks.ok()) return checks.status();
  return query;
}

std::optional<ComparePosition> PositionOf(const Page& page) {
  if (page.position.empty()) return std::nullopt;
  return ComparePosition{page.position[0], page.position[1]};
}

}  // namespace

grpc::Status CompareServiceImpl::Compare(grpc::ServerContext* context,
                                         const v1::CompareRequest* request,
                                         v1::CompareResponse* response) {
  const auto work = [&](const auth::Caller&) -> absl::Status {
    const auto page = PageOf(*request, kPages, 2);
    if (!page.ok()) return page.status();
    const auto query = FromProto(*request);
    if (!query.ok()) return query.status();
    const auto blocks = comparer_.Compare(*query);
    if (!blocks.ok()) return blocks.status();
    const auto last = FillPage(*blocks, PositionOf(*page), page->size, kMaxAnswerBytes, response);
    if (last) response->set_next_page_token(NextPageToken(*page, {last->block, last->metric}));
    return absl::OkStatus();
  };
  return Handle(guard_, *context, "/regressd.v1.CompareService/Compare", work);
}

}  // namespace regressd::query
