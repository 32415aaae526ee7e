#include "services/ctl/compare_client.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "regressd/v1/compare_service.grpc.pb.h"
#include "services/common/convert.h"

namespace regressd::ctl {

absl::StatusOr<std::vector<model::ComparisonBlock>> CompareClient::Compare(
    const CompareQuery& query, const std::function<void(std::int64_t)>& progress) const {
  const auto stub = v1::CompareService::NewStub(connection_.channel());
  v1::CompareRequest request;
  for (const ColumnQuery& column : query.columns) {
    v1::ColumnSelector* selector = request.add_columns();
    selector->set_commit(column.commit);
    common::ToProto(column.axes, selector->mutable_axes());
  }
  common::ToProto(query.axes, request.mutable_axes());
  request.set_metric_regex(query.metric_regex);

  std::vector<model::ComparisonBlock> blocks;
  std::int64_t row_count = 0;
  std::size_t missing_rows = 0;  // Of the last block: it goes on on the next page.
  while (true) {
    grpc::ClientContext context;
    connection_.StartCall(&context);
    v1::CompareResponse response;
    const grpc::Status status = stub->Compare(&context, request, &response);
    if (!status.ok()) return connection_.ToStatus(status);
    for (const v1::ComparisonBlock& part : response.blocks()) {
      absl::StatusOr<model::ComparisonBlock> block = common::FromProto(part);
      if (!block.ok()) return block.status();
      const std::size_t rows = block->rows.size();
      row_count += static_cast<std::int64_t>(rows);
      if (missing_rows > 0) {
        std::vector<model::Row>& whole = blocks.back().rows;
        whole.insert(whole.end(), std::make_move_iterator(block->rows.begin()),
                     std::make_move_iterator(block->rows.end()));
      } else {
        missing_rows = static_cast<std::size_t>(part.total_row_count());
        blocks.push_back(*std::move(block));
      }
      missing_rows -= std::min(missing_rows, rows);
    }
    progress(row_count);
    if (response.next_page_token().empty()) return blocks;
    request.set_page_token(response.next_page_token());
  }
}

}  // namespace regressd::ctl
