#pragma once

#include <string>
#include <utility>
#include <vector>

#include "services/model/comparison.h"

namespace regressd::report {

/// A block of two commits for tests: rows are added with their values and verdict.
class BlockBuilder {
 public:
  BlockBuilder() {
    block_.axes = model::Axes({{"testcase", "vm-scalability"}, {"test", "swap-w-seq"}});
    block_.compared_axes = {"commit"};
    AddColumn("1b2c3d4e5f60718293a4b5c6d7e8f9010a1b2c3d");
    AddColumn("9f8e7d6c5b4a39281706f5e4d3c2b1a091827364");
  }

  BlockBuilder& AddColumn(std::string commit_id, std::size_t run_count = 3) {
    model::Column column;
    column.commit.commit_id = std::move(commit_id);
    for (std::size_t i = 0; i < run_count; ++i)
      column.runs.push_back({"", static_cast<std::int64_t>(i) + 1});
    block_.columns.push_back(std::move(column));
    return *this;
  }

  BlockBuilder& AddRow(std::string name, std::vector<double> base, std::vector<double> head,
                       model::Verdict verdict = model::Verdict::kUnchanged,
                       std::string reason = "below_min_effect") {
    model::Row row;
    row.metric.name = std::move(name);
    row.cells.resize(2);
    row.cells[0].values = std::move(base);
    row.cells[1].values = std::move(head);
    row.cells[1].judgement.emplace();
    row.cells[1].judgement->verdict = verdict;
    row.cells[1].judgement->reason = std::move(reason);
    block_.rows.push_back(std::move(row));
    return *this;
  }

  model::ComparisonBlock& block() { return block_; }

 private:
  model::ComparisonBlock block_;
};

}  // namespace regressd::report
