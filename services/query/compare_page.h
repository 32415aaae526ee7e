#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "regressd/v1/compare_service.pb.h"
#include "services/model/comparison.h"

namespace regressd::query {

/// Everything up to and including this row of a comparison was given.
struct ComparePosition {
  std::string block;   ///< Canonical text of the block's axes.
  std::string metric;  ///< Empty: the block's header alone.
};

/// Fills `out` with the rows after `after`, whole blocks or parts of them, each with its header: at
/// most `max_rows` rows and about `max_bytes`, but always something. `blocks` come in the order of
/// BuildBlocks. Returns where it stopped, or nullopt after the last row. It goes by names, so a run
/// that ends between two pages neither repeats a row nor skips one that was there before.
std::optional<ComparePosition> FillPage(const std::vector<model::ComparisonBlock>& blocks,
                                        const std::optional<ComparePosition>& after,
                                        std::int32_t max_rows, std::size_t max_bytes,
                                        v1::CompareResponse* out);

}  // namespace regressd::query
