#include "tests/parse/corpus_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/shared_data.h"

namespace regressd::parse {
namespace {

using ::testing::HasSubstr;

const Problem* Find(const nlohmann::json& wanted, Severity severity, const Problems& problems) {
  const auto found = std::find_if(problems.begin(), problems.end(), [&](const Problem& problem) {
    return problem.severity == severity && problem.code == wanted.at("code").get<std::string>() &&
           (!wanted.contains("line") || problem.line == wanted.at("line").get<int>());
  });
  return found == problems.end() ? nullptr : &*found;
}

void ExpectListed(const nlohmann::json& list, Severity severity, const Problems& problems) {
  for (const nlohmann::json& wanted : list) {
    const Problem* problem = Find(wanted, severity, problems);
    if (problem == nullptr) {
      ADD_FAILURE() << "not reported: " << wanted;
      continue;
    }
    for (const nlohmann::json& text : wanted.value("message_must_name", nlohmann::json::array())) {
      EXPECT_THAT(problem->message, HasSubstr(text.get<std::string>()));
    }
  }
}

std::string Messages(const Problems& problems) {
  std::string messages;
  for (const Problem& problem : problems) messages += problem.message + "\n";
  return messages;
}

std::size_t CountErrors(const Problems& problems) {
  return static_cast<std::size_t>(
      std::count_if(problems.begin(), problems.end(),
                    [](const Problem& problem) { return problem.severity == Severity::kError; }));
}

}  // namespace

CorpusCase::CorpusCase(const std::filesystem::path& expected_file)
    : expected_(support::ReadJson(expected_file)) {
  taken_ = {"format", "case", "input", "why"};
  name_ = expected_.at("case");
  const nlohmann::json& input = expected_.at("input");
  const auto read = [&](const nlohmann::json& file) {
    inputs_.push_back(support::ReadFile(expected_file.parent_path() / file.get<std::string>()));
  };
  if (input.is_array()) {
    for (const nlohmann::json& file : input) read(file);
  } else {
    read(input);
  }
}

const nlohmann::json& CorpusCase::Take(const std::string& key) {
  static const nlohmann::json kNone;
  taken_.insert(key);
  return Has(key) ? expected_.at(key) : kNone;
}

void CorpusCase::ExpectProblems(const Problems& problems, std::size_t record_count) {
  const std::string outcome = Take("outcome");
  const nlohmann::json& errors = Take("errors");
  ExpectListed(Take("warnings"), Severity::kWarning, problems);
  if (outcome == "accept_or_reject") return;
  ExpectListed(errors, Severity::kError, problems);
  // What the corpus lists is all that may be wrong with the input.
  EXPECT_EQ(CountErrors(problems), errors.size()) << Messages(problems);
  if (outcome == "reject") {
    EXPECT_EQ(record_count, 0U);
  } else {
    EXPECT_GT(record_count, 0U);
  }
  EXPECT_FALSE(outcome == "accept_with_warning" && Take("warnings").empty());
}

void CorpusCase::ExpectAllTaken() const {
  for (const auto& [key, value] : expected_.items()) {
    EXPECT_TRUE(taken_.contains(key)) << "nothing checks " << key << ": " << value;
  }
}

std::vector<CorpusCase> CorpusCases(const std::string& format) {
  const std::optional<std::filesystem::path> corpus = support::SharedDir("corpus");
  std::vector<std::filesystem::path> files;
  if (corpus) {
    for (const auto& entry : std::filesystem::directory_iterator(*corpus / format)) {
      if (entry.path().string().ends_with(".expected.json")) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return {files.begin(), files.end()};
}

std::optional<std::string> Recorded(const std::string& file) {
  const std::optional<std::filesystem::path> corpus = support::SharedDir("corpus");
  if (!corpus) return std::nullopt;
  return support::ReadFile(*corpus / "recorded" / file);
}

void ExpectNumber(const nlohmann::json& expected, std::optional<double> actual,
                  const std::string& what) {
  if (expected.is_null()) {
    EXPECT_FALSE(actual.has_value()) << what << " has no value, got " << actual.value_or(0);
    return;
  }
  ASSERT_TRUE(actual.has_value()) << what << " should be " << expected;
  const double wanted = expected.get<double>();
  const double tolerance = expected.is_number_integer() ? 0 : std::abs(wanted) * 1e-9;
  EXPECT_NEAR(*actual, wanted, tolerance) << what;
}

}  // namespace regressd::parse
