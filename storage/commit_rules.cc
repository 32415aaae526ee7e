#include "storage/commit_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "storage/storable_text.h"

namespace regressd::storage {
namespace {

void SortUnique(std::vector<std::string>* names) {
  std::sort(names->begin(), names->end());
  names->erase(std::unique(names->begin(), names->end()), names->end());
}

absl::Status CheckTexts(const model::Commit& commit) {
  const std::string what = fmt::format("commit {}", commit.commit_id);
  for (const std::string* text :
       {&commit.commit_id, &commit.describe, &commit.subject, &commit.author}) {
    if (auto status = CheckStorable(what, *text); !status.ok()) return status;
  }
  for (const auto* list : {&commit.parent_ids, &commit.branches, &commit.tags, &commit.trailers}) {
    for (const std::string& text : *list) {
      if (auto status = CheckStorable(what, text); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

absl::Status CheckPatch(const model::Commit& commit) {
  const model::Patch& patch = *commit.patch;
  if (patch.message_id.empty() || patch.base_commit_id.empty()) {
    return absl::InvalidArgumentError(fmt::format(
        "patch {}: give its Message-ID and the commit that it was applied on", patch.message_id));
  }
  const std::string derived = model::PatchCommitId(patch);
  if (commit.commit_id != derived) {
    return absl::InvalidArgumentError(
        fmt::format("commit {} has the patch {}; leave its id empty", commit.commit_id, derived));
  }
  return absl::OkStatus();
}

std::string ParentsInWords(const model::Commit& commit) {
  return commit.parent_ids.empty() ? "none" : fmt::format("{}", fmt::join(commit.parent_ids, " "));
}

void Fill(const std::string& added, std::string* known, bool* changed) {
  if (!known->empty() || added.empty()) return;
  *known = added;
  *changed = true;
}

}  // namespace

bool ParentsKnown(const model::Commit& commit) { return commit.root || !commit.parent_ids.empty(); }

absl::StatusOr<model::Commit> NormalCommit(const model::Commit& commit) {
  model::Commit normal = commit;
  if (normal.patch) {
    if (normal.commit_id.empty()) normal.commit_id = model::PatchCommitId(*normal.patch);
    if (auto status = CheckPatch(normal); !status.ok()) return status;
    if (normal.subject.empty()) normal.subject = normal.patch->subject;
    if (normal.author.empty()) normal.author = normal.patch->author;
    normal.patch->subject = normal.subject;
    normal.patch->author = normal.author;
  }
  if (normal.commit_id.empty()) return absl::InvalidArgumentError("a commit has no id; give one");
  if (auto status = CheckTexts(normal); !status.ok()) return status;
  if (normal.root && !normal.parent_ids.empty()) {
    return absl::InvalidArgumentError(fmt::format(
        "commit {} is said to be a root and to have parents; say one", normal.commit_id));
  }
  for (const std::string& parent : normal.parent_ids) {
    if (parent.empty() || parent == normal.commit_id) {
      return absl::InvalidArgumentError(fmt::format("commit {} has {} as a parent; correct it",
                                                    normal.commit_id,
                                                    parent.empty() ? "an empty id" : "itself"));
    }
  }
  SortUnique(&normal.branches);
  SortUnique(&normal.tags);
  return normal;
}

absl::StatusOr<MergedCommit> MergeCommits(const model::Commit& known, const model::Commit& added) {
  MergedCommit merged{.commit = known};
  model::Commit& commit = merged.commit;
  if (ParentsKnown(known) && ParentsKnown(added) && known.parent_ids != added.parent_ids) {
    return absl::AlreadyExistsError(
        fmt::format("commit {} is known with parents {}, not {}; check which tree it came from",
                    known.commit_id, ParentsInWords(known), ParentsInWords(added)));
  }
  if (!ParentsKnown(known) && ParentsKnown(added)) {
    commit.parent_ids = added.parent_ids;
    commit.root = added.root;
    merged.changed = merged.parents_learned = true;
  }
  Fill(added.describe, &commit.describe, &merged.changed);
  Fill(added.subject, &commit.subject, &merged.changed);
  Fill(added.author, &commit.author, &merged.changed);
  if (!commit.author_time && added.author_time) {
    commit.author_time = added.author_time;
    merged.changed = true;
  }
  if (commit.trailers.empty() && !added.trailers.empty()) {
    commit.trailers = added.trailers;
    merged.changed = true;
  }
  if (commit.patch) {
    commit.patch->subject = commit.subject;
    commit.patch->author = commit.author;
  }
  commit.branches.insert(commit.branches.end(), added.branches.begin(), added.branches.end());
  SortUnique(&commit.branches);
  merged.changed |= commit.branches.size() != known.branches.size();
  commit.tags.insert(commit.tags.end(), added.tags.begin(), added.tags.end());
  SortUnique(&commit.tags);
  merged.changed |= commit.tags.size() != known.tags.size();
  return merged;
}

}  // namespace regressd::storage
