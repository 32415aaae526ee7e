#include <gmock/gmock.h>

#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "services/report/lkp_rows.h"
#include "services/report/render_table.h"
#include "tests/support/shared_data.h"

namespace regressd::report {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using support::ReadFile;

// What LKP knows as test programs, of the families that the cases have.
const std::set<std::string, std::less<>> kTestPrograms = {"iperf", "stress-ng", "swapin",
                                                          "vm-scalability", "will-it-scale"};
constexpr char kIncomplete[] = "last_state.is_incomplete_run";

std::string TextOf(const ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

model::Axes AxesOf(const ordered_json& object) {
  model::Axes axes;
  for (const auto& [key, value] : object.items()) axes.Set(key, TextOf(value));
  return axes;
}

/// A matrix as LKP loads it: arrays shorter than the run count end in zeros (lkp.md 1.3).
struct Matrix {
  std::size_t run_count = 0;
  std::vector<std::string> names;  ///< As the file has them.
  std::map<std::string, std::vector<double>> values;
};

Matrix LoadMatrix(const fs::path& path) {
  const ordered_json file = ordered_json::parse(ReadFile(path));
  Matrix matrix;
  if (file.contains("stats_source")) {
    matrix.run_count = file["stats_source"].size();
  } else if (!file.empty()) {
    matrix.run_count = std::max(file.front().size(), file.back().size());
  }
  for (const auto& [name, values] : file.items()) {
    if (name == "stats_source") continue;
    matrix.names.push_back(name);
    auto& numbers = matrix.values[name] = values.get<std::vector<double>>();
    if (numbers.size() < matrix.run_count) numbers.resize(matrix.run_count, 0);
  }
  return matrix;
}

/// Failures are counted over all runs, other metrics averaged over the complete ones (lkp.md 3.1).
std::vector<double> CellValues(const Matrix& matrix, const std::string& name) {
  const auto found = matrix.values.find(name);
  if (found == matrix.values.end()) return {};
  const auto incomplete = matrix.values.find(kIncomplete);
  if (IsFunctional(name) || incomplete == matrix.values.end()) return found->second;
  std::vector<double> kept;
  for (std::size_t i = 0; i < found->second.size(); ++i) {
    if (i >= incomplete->second.size() || incomplete->second[i] != 1)
      kept.push_back(found->second[i]);
  }
  return kept;
}

/// All rows of a group, in the order in which LKP meets them: base first when everything is shown,
/// head first otherwise.
std::vector<std::string> RowNames(const std::vector<Matrix>& matrices, bool base_first) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  const auto add = [&](const Matrix& matrix) {
    for (const std::string& name : matrix.names) {
      if (seen.insert(name).second) names.push_back(name);
    }
  };
  if (base_first) add(matrices[0]);
  for (std::size_t i = 1; i < matrices.size(); ++i) add(matrices[i]);
  add(matrices[0]);
  return names;
}

model::ComparisonBlock LoadGroup(const fs::path& dir, const ordered_json& test_case,
                                 const ordered_json& group, const std::set<std::string>* shown) {
  model::ComparisonBlock block;
  block.axes = AxesOf(group["axes"]);
  for (const auto& key : test_case["compare_axis_keys"]) block.compared_axes.push_back(key);
  std::vector<Matrix> matrices;
  for (const auto& entry : group["columns"]) {
    matrices.push_back(LoadMatrix(dir / entry["matrix"].get<std::string>()));
    model::Column column;
    column.compared_axes = AxesOf(entry["axes"]);
    column.commit.commit_id = column.compared_axes.Find("commit").value_or("");
    column.runs.resize(matrices.back().run_count);
    block.columns.push_back(std::move(column));
  }
  for (const std::string& name : RowNames(matrices, shown == nullptr)) {
    if (shown != nullptr && !shown->contains(name)) continue;
    model::Row row;
    row.metric.name = name;
    for (const Matrix& matrix : matrices) {
      row.cells.emplace_back().values = CellValues(matrix, name);
    }
    block.rows.push_back(std::move(row));
  }
  return block;
}

/// The names of the rows of each block of a table text.
std::vector<std::set<std::string>> RowNamesByBlock(const std::string& table) {
  std::vector<std::set<std::string>> blocks;
  bool in_rows = false;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("====")) blocks.emplace_back();
    if (line.starts_with("---")) in_rows = true;
    if (line.empty()) in_rows = false;
    const std::size_t gap = line.rfind("  ");
    if (in_rows && gap != std::string::npos && line.find('.', gap) != std::string::npos) {
      blocks.back().insert(line.substr(gap + 2));
    }
  }
  return blocks;
}

class GoldenTableTest : public ::testing::TestWithParam<const char*> {
 protected:
  /// Renders the case; `shown` has the rows of each printed block, unset means all rows.
  static std::string Render(const fs::path& dir,
                            const std::optional<std::vector<std::set<std::string>>>& shown) {
    const ordered_json test_case = ordered_json::parse(ReadFile(dir / "case.json"));
    ordered_json groups = ordered_json::array();
    if (test_case.contains("groups")) {
      groups = test_case["groups"];
    } else {
      groups.push_back({{"axes", test_case["axes"]}, {"columns", test_case["columns"]}});
    }
    std::string text;
    std::size_t printed = 0;
    for (const auto& group : groups) {
      if (group["columns"].size() < 2) continue;
      const model::ComparisonBlock block =
          LoadGroup(dir, test_case, group, shown ? &shown->at(printed) : nullptr);
      ++printed;
      text += RenderTable(block,
                          {.all_metrics = true, .lkp_exact = true, .test_families = kTestPrograms});
    }
    return text;
  }
};

// The cases that show every metric, or a given list that is all there is: the whole text is
// computed.
class GoldenWholeTableTest : public GoldenTableTest {};

TEST_P(GoldenWholeTableTest, IsLkpsTextToTheByte) {
  const auto golden = support::SharedDir("golden");
  if (!golden) GTEST_SKIP() << support::NoSharedData("golden");
  const fs::path dir = *golden / "lkp" / GetParam();
  EXPECT_EQ(Render(dir, std::nullopt), ReadFile(dir / "expected.txt"));
}

INSTANTIATE_TEST_SUITE_P(Lkp, GoldenWholeTableTest,
                         ::testing::Values("03-seed-current-format", "04-number-formats",
                                           "05-zeros-missing-all", "07-single-run-all",
                                           "20-row-order"));

// The cases that show what LKP's decision rule picked: which rows appear is taken from the expected
// text, everything else, their order too, is computed.
class GoldenPickedRowsTest : public GoldenTableTest {};

TEST_P(GoldenPickedRowsTest, IsLkpsTextToTheByte) {
  const auto golden = support::SharedDir("golden");
  if (!golden) GTEST_SKIP() << support::NoSharedData("golden");
  const fs::path dir = *golden / "lkp" / GetParam();
  const std::string expected = ReadFile(dir / "expected.txt");
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(Render(dir, RowNamesByBlock(expected)), expected);
}

INSTANTIATE_TEST_SUITE_P(Lkp, GoldenPickedRowsTest,
                         ::testing::Values("01-normal-swap", "06-zeros-missing-default",
                                           "09-failures-equal-runs", "10-failures-unequal-3commits",
                                           "11-three-commits", "12-perf-profile-default",
                                           "13-perf-profile-threshold", "14-decision-rule",
                                           "15-decision-rule-3v1", "16-gap-option",
                                           "17-many-runs-margin", "18-incomplete-runs",
                                           "19-groups-other-axis", "21-more-stats",
                                           "22-incomplete-3commits", "23-kpi-only"));

}  // namespace
}  // namespace regressd::report
