#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace regressd::storage {

/// The shortest prefix of a commit's id that names it.
inline constexpr std::size_t kMinCommitPrefix = 7;

/// 40 hex digits in lower case, or 64: what no other commit can ever be named.
bool IsFullSha(std::string_view name);

/// The digits, in lower case, that a full sha must begin with for `name` to stand for it: the name
/// itself, or the end of a git describe. Empty when it has none, or fewer than kMinCommitPrefix.
/// The SQL function commits_named has the same rule.
std::string FirstDigits(std::string_view name);

/// Whether only a branch, or what git has checked out, can have this name: "HEAD", "refs/heads/x".
bool IsMovingName(std::string_view name);

/// Errors: InvalidArgument, always: a branch is no commit.
absl::Status MovingName(std::string_view name);

/// `name` without the < and > that a Message-ID is written in.
std::string_view WithoutBrackets(std::string_view name);

/// Several commits have what `what` says in common with `name`. Errors: InvalidArgument, always.
absl::Status SeveralCommits(std::string_view name, std::string_view what,
                            std::span<const std::string> commit_ids);

/// Errors: NotFound, always, with those of `known` that are near.
absl::Status NoCommit(std::string_view name, std::span<const std::string> known);

}  // namespace regressd::storage
