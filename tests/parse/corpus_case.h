#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "services/parse/problem.h"

namespace regressd::parse {

/// One case of the corpus of real-world inputs: input texts and what has to come out of them.
///
/// The rules are those of the corpus' README: a key that is absent is not checked, null means "no
/// value", integers compare exactly and decimals with a relative tolerance of 1e-9.
class CorpusCase {
 public:
  explicit CorpusCase(const std::filesystem::path& expected_file);

  const std::string& name() const { return name_; }
  const std::vector<std::string>& inputs() const { return inputs_; }

  /// The expectation under `key`, or null; the key counts as looked at.
  const nlohmann::json& Take(const std::string& key);
  bool Has(const std::string& key) const { return expected_.contains(key); }

  /// Outcome, errors and warnings. `record_count` is what was taken of the input.
  void ExpectProblems(const Problems& problems, std::size_t record_count);

  /// Fails the test for each key of the expectation that nobody has looked at.
  void ExpectAllTaken() const;

 private:
  std::string name_;
  nlohmann::json expected_;
  std::vector<std::string> inputs_;
  std::set<std::string> taken_;
};

/// The cases of `format`, by name; empty and the test skipped or failed when the corpus is not
/// there.
std::vector<CorpusCase> CorpusCases(const std::string& format);

/// The whole text of a file of the corpus' folder recorded/, or nullopt.
std::optional<std::string> Recorded(const std::string& file);

/// Compares by the corpus' rules; null against nullopt.
void ExpectNumber(const nlohmann::json& expected, std::optional<double> actual,
                  const std::string& what);

}  // namespace regressd::parse
