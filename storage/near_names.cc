#include "storage/near_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "services/model/edit_distance.h"

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
      const std::size_t distance = model::EditDistance(wanted, lower);
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
