#include "storage/commit_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "storage/near_names.h"

namespace regressd::storage {

std::string_view WithoutBrackets(std::string_view name) {
  if (name.size() > 2 && name.front() == '<' && name.back() == '>') {
    return name.substr(1, name.size() - 2);
  }
  return name;
}

absl::Status SeveralCommits(std::string_view name, std::string_view what,
                            std::span<const std::string> commit_ids) {
  const auto shown = commit_ids.first(std::min<std::size_t>(commit_ids.size(), 3));
  return absl::InvalidArgumentError(
      fmt::format("{} is the {} of several commits: {}{}; give a whole id", name, what,
                  fmt::join(shown, ", "), commit_ids.size() > shown.size() ? ", ..." : ""));
}

absl::Status NoCommit(std::string_view name, std::span<const std::string> known) {
  return absl::NotFoundError(
      fmt::format("there is no commit {}{}", name, NearNamesHint(name, known)));
}

}  // namespace regressd::storage
