#include "services/ctl/compare_client.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "regressd/v1/compare_service.grpc.pb.h"
#include "services/common/convert.h"

namespace regressd::ctl {
namespace {

// The block with those of its rows that can be read.
absl::StatusOr<model::ComparisonBlock> ReadBlock(const v1::ComparisonBlock& block,
                                                 const Skipped& skipped) {
  absl::StatusOr<model::ComparisonBlock> whole = common::FromProto(block);
  if (whole.ok()) return whole;
  v1::ComparisonBlock one_row = block;
  one_row.clear_rows();
  absl::StatusOr<model::ComparisonBlock> result = common::FromProto(one_row);
  if (!result.ok()) return result;
  for (const v1::ComparisonRow& row : block.rows()) {
    one_row.clear_rows();
    *one_row.add_rows() = row;
    absl::StatusOr<model::ComparisonBlock> read = common::FromProto(one_row);
    if (read.ok()) {
      result->rows.push_back(std::move(read->rows.front()));
    } else {
      skipped(fmt::format("metric \"{}\"", row.metric().name()), read.status());
    }
  }
  return result;
}

std::string NameOf(const v1::ComparisonBlock& block) {
  std::string name = "the comparison of";
  for (const v1::Axis& axis : block.axes()) name += fmt::format(" {}={}", axis.key(), axis.value());
  return name;
}

// Puts the pages' parts of the blocks together.
class BlockReader {
 public:
  explicit BlockReader(const Skipped& skipped) : skipped_(skipped) {}

  void Take(const v1::ComparisonBlock& part) {
    const auto row_count = static_cast<std::size_t>(part.rows_size());
    const bool goes_on = missing_rows_ > 0;
    if (!goes_on) missing_rows_ = static_cast<std::size_t>(part.total_row_count());
    missing_rows_ -= std::min(missing_rows_, row_count);
    absl::StatusOr<model::ComparisonBlock> block = ReadBlock(part, skipped_);
    if (!goes_on) {
      last_is_readable_ = block.ok();
      if (block.ok()) {
        blocks_.push_back(*std::move(block));
      } else {
        skipped_(NameOf(part), block.status());
      }
    } else if (last_is_readable_ && block.ok()) {
      std::vector<model::Row>& rows = blocks_.back().rows;
      rows.insert(rows.end(), std::make_move_iterator(block->rows.begin()),
                  std::make_move_iterator(block->rows.end()));
    }
  }

  std::vector<model::ComparisonBlock> Finish() { return std::move(blocks_); }

 private:
  const Skipped& skipped_;
  std::vector<model::ComparisonBlock> blocks_;
  std::size_t missing_rows_ = 0;  // Of the last block: it goes on on the next page.
  bool last_is_readable_ = false;
};

}  // namespace

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

  BlockReader reader(skipped_);
  std::int64_t row_count = 0;
  while (true) {
    grpc::ClientContext context;
    connection_.StartCall(&context);
    v1::CompareResponse response;
    const grpc::Status status = stub->Compare(&context, request, &response);
    if (!status.ok()) return connection_.ToStatus(status);
    for (const v1::ComparisonBlock& part : response.blocks()) {
      row_count += part.rows_size();
      reader.Take(part);
    }
    progress(row_count);
    if (response.next_page_token().empty()) return reader.Finish();
    request.set_page_token(response.next_page_token());
  }
}

}  // namespace regressd::ctl
