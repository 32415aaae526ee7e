// The logs of the golden vectors' samples, written as the benchmarks write them, give the means
// that mmtests' own comparison printed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "services/parse/mmtests_log.h"
#include "tests/parse/benchmark_builder.h"
#include "tests/support/shared_data.h"

namespace regressd::parse {
namespace {

namespace fs = std::filesystem;
using Samples = std::map<std::string, std::vector<double>>;

/// The mean row of each operation, one number a run.
Samples ExpectedMeans(const fs::path& file) {
  Samples means;
  std::ifstream input(file);
  std::string line;
  const std::regex row("(Amean|Hmean) +([^ ]+) +(.*)");
  const std::regex cell("([0-9.]+) [(*] *-?[0-9.]+%[)*]");
  while (std::getline(input, line)) {
    std::smatch match;
    if (!std::regex_match(line, match, row)) continue;
    const std::string cells = match[3];
    for (std::sregex_iterator i(cells.begin(), cells.end(), cell), end; i != end; ++i) {
      means[match[2]].push_back(std::stod((*i)[1]));
    }
  }
  return means;
}

Samples SamplesOf(const nlohmann::json& run) {
  Samples samples;
  for (const auto& op : run["ops"]) {
    for (const auto& iteration : op["iterations"]) {
      for (const double value : iteration) samples[op["op"]].push_back(value);
    }
  }
  return samples;
}

std::string TimeText(double user_s, double system_s, double elapsed_s) {
  const double minutes = std::floor(elapsed_s / 60);
  return fmt::format(
      "{:.2f}user {:.2f}system {:.0f}:{:05.2f}elapsed 99%CPU (0avgtext+0avgdata 9maxresident)k\n"
      "0inputs+0outputs (0major+1minor)pagefaults 0swaps\n",
      user_s, system_s, minutes, elapsed_s - minutes * 60);
}

/// Path and text of the logs that hold the samples.
std::vector<std::pair<std::string, std::string>> Logs(const std::string& benchmark,
                                                      const Samples& samples) {
  std::vector<std::pair<std::string, std::string>> logs;
  for (const auto& [operation, values] : samples) {
    if (benchmark == "sparsetruncate" || benchmark.starts_with("wis")) {
      std::string text;
      for (const double value : values) {
        text += benchmark == "sparsetruncate" ? fmt::format("{:.0f}\n", value)
                                              : fmt::format("min:1 max:2 total:{:.0f}\n", value);
      }
      logs.emplace_back(
          benchmark == "sparsetruncate" ? "truncate.log" : fmt::format("wis-{}.log", operation),
          text);
    } else if (operation.starts_with("elsp-")) {
      const std::string jobs = operation.substr(5);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto user = samples.find("user-" + jobs);
        logs.emplace_back(benchmark == "kernbench"
                              ? fmt::format("kernbench-{}-{}.time", jobs, i + 1)
                              : fmt::format("usemem-{}-{}", jobs, i + 1),
                          TimeText(user == samples.end() ? 1 : user->second[i],
                                   samples.at("syst-" + jobs)[i], values[i]));
      }
    }
  }
  return logs;
}

double Mean(const std::vector<double>& values, bool harmonic) {
  double sum = 0;
  for (const double value : values) sum += harmonic ? 1 / value : value;
  const auto count = static_cast<double>(values.size());
  return harmonic ? count / sum : sum / count;
}

class MmtestsGoldenTest : public ::testing::TestWithParam<const char*> {};

TEST_P(MmtestsGoldenTest, ReadsTheMeansThatMmtestsPrints) {
  const auto golden = support::SharedDir("golden");
  if (!golden) GTEST_SKIP() << support::NoSharedData("golden");
  const fs::path directory = *golden / "mmtests" / GetParam();
  const nlohmann::json input = support::ReadJson(directory / "input.json");
  const Samples expected = ExpectedMeans(directory / "expected.txt");
  ASSERT_FALSE(expected.empty());
  const std::string benchmark = input["benchmark"];
  for (std::size_t run = 0; run < input["runs"].size(); ++run) {
    MmtestsParser parser;
    for (const auto& [path, text] : Logs(benchmark, SamplesOf(input["runs"][run]))) {
      parser.BeginFile(path);
      testing::FeedAll(path, text, &parser);
    }
    const BenchmarkResults results = parser.Finish();
    EXPECT_EQ(results.failure, "");
    Samples read = testing::ValuesOf(results);
    for (const BenchmarkObservations& observations : results.observations) {
      read[observations.name] = observations.values;
    }
    EXPECT_EQ(read.size(), expected.size());
    for (const auto& [operation, means] : expected) {
      // Printed with two decimals.
      EXPECT_NEAR(Mean(read[operation], input["direction"] == "higher"), means.at(run), 0.0051)
          << operation;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, MmtestsGoldenTest,
                         ::testing::Values("01-sparsetruncate-seed",
                                           "02-sparsetruncate-3kernels-2iters",
                                           "03-wis-pf-4kernels", "05-kernbench-10iters",
                                           "06-kernbench-3kernels-multijobs",
                                           "18-usemem-syst-elsp"));

}  // namespace
}  // namespace regressd::parse
