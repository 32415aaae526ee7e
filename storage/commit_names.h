#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace regressd::storage {

/// The shortest prefix of a commit's id that names it.
inline constexpr std::size_t kMinCommitPrefix = 7;

/// `name` without the < and > that a Message-ID is written in.
std::string_view WithoutBrackets(std::string_view name);

/// Several commits have what `what` says in common with `name`. Errors: InvalidArgument, always.
absl::Status SeveralCommits(std::string_view name, std::string_view what,
                            std::span<const std::string> commit_ids);

/// Errors: NotFound, always, with those of `known` that are near.
absl::Status NoCommit(std::string_view name, std::span<const std::string> known);

}  // namespace regressd::storage
