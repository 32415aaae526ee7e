#include "storage/near_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace regressd::storage {
namespace {

constexpr std::size_t kLongestCompared = 512;

std::string LowerCase(std::string_view text) {
  std::string lower(text.substr(0, kLongestCompared));
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::size_t Levenshtein(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> NearNames(std::string_view name, std::span<const std::string> known,
                                   std::size_t limit) {
  // Rank 0 holds the name as a part, rank 1 is near by spelling; then by distance, then by name.
  std::vector<std::tuple<int, std::size_t, std::string>> candidates;
  const std::string wanted = LowerCase(name);
  if (wanted.empty()) return {};
  for (const std::string& candidate : known) {
    const std::string lower = LowerCase(candidate);
    const std::size_t longer = std::max(lower.size(), wanted.size());
    const std::size_t shorter = std::min(lower.size(), wanted.size());
    if (wanted.size() >= 3 && lower.find(wanted) != std::string::npos) {
      candidates.emplace_back(0, longer - shorter, candidate);
    } else if (const std::size_t bound = std::max<std::size_t>(1, wanted.size() / 3);
               longer - shorter <= bound) {
      const std::size_t distance = Levenshtein(wanted, lower);
      if (distance <= bound) candidates.emplace_back(1, distance, candidate);
    }
  }
  std::sort(candidates.begin(), candidates.end());
  std::vector<std::string> near;
  for (auto& [rank, distance, candidate] : candidates) {
    if (near.size() == limit) break;
    if (near.empty() || near.back() != candidate) near.push_back(std::move(candidate));
  }
  return near;
}

std::string NearNamesHint(std::string_view name, std::span<const std::string> known) {
  const std::vector<std::string> near = NearNames(name, known);
  return near.empty() ? "" : fmt::format("; near: {}", fmt::join(near, ", "));
}

}  // namespace regressd::storage
