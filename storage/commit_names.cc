#include "storage/commit_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "storage/near_names.h"

namespace regressd::storage {

namespace {

bool IsHex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

bool IsFullSha(std::string_view name) {
  return (name.size() == 40 || name.size() == 64) && IsHex(name);
}

std::string FirstDigits(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  const std::size_t mark = lower.rfind("-g");
  const std::string digits = mark == std::string::npos ? lower : lower.substr(mark + 2);
  return digits.size() >= kMinCommitPrefix && digits.size() <= 40 && IsHex(digits) ? digits : "";
}

bool IsMovingName(std::string_view name) {
  return name == "HEAD" || name.starts_with("refs/heads/") || name.starts_with("refs/remotes/");
}

absl::Status MovingName(std::string_view name) {
  return absl::InvalidArgumentError(fmt::format(
      "{} is a branch, which moves from commit to commit; give the sha of the commit, or a tag",
      name));
}

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
