#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "services/common/convert.h"
#include "services/common/field_checks.h"

namespace regressd::common {
namespace {

// Ids stand in btree indexes, whose entries must stay below 2.7 KB: that of a patch holds a
// Message-ID and a base.
constexpr std::size_t kMaxCommitIdBytes = 256;
constexpr std::size_t kMaxMessageIdBytes = 998;  // RFC 5322 2.1.1: the longest line.
constexpr std::size_t kMaxStoredIdBytes = 6 + kMaxMessageIdBytes + 1 + kMaxCommitIdBytes;
constexpr std::size_t kMaxDescribeBytes = 1024;
constexpr std::size_t kMaxLineBytes = 4096;
constexpr int kMaxParents = 1000;
constexpr int kMaxBranches = 1000;
constexpr int kMaxTags = 1000;
constexpr int kMaxTrailers = 1000;
constexpr std::size_t kMaxMessageBytes = 256 << 10;
constexpr std::string_view kPatchPrefix = "patch:";

// Git prints lower case; a person may paste upper.
std::string NormalId(std::string_view id) {
  std::string text(id);
  const bool is_full_id =
      text.size() == 40 && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
      });
  if (!is_full_id) return text;
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

void ToProto(const model::Patch& patch, v1::Patch* out) {
  out->set_message_id(patch.message_id);
  out->set_base_commit_id(patch.base_commit_id);
  out->set_number(patch.number);
  out->set_total(patch.total);
  out->set_series_version(patch.series_version);
  out->set_subject(patch.subject);
  out->set_author(patch.author);
}

absl::StatusOr<model::Patch> FromProto(const v1::Patch& patch, std::string_view path) {
  FieldChecks checks(path);
  checks.Name("message_id", patch.message_id(), kMaxMessageIdBytes);
  if (patch.message_id().find_first_of("<> ") != std::string::npos) {
    checks.Fail("message_id", "has a <, > or space; give what stands between < and >");
  }
  checks.Name("base_commit_id", patch.base_commit_id(), kMaxCommitIdBytes);
  checks.Line("subject", patch.subject(), kMaxLineBytes);
  checks.Line("author", patch.author(), kMaxLineBytes);
  model::Patch result;
  result.message_id = patch.message_id();
  result.base_commit_id = NormalId(patch.base_commit_id());
  result.number = patch.number();
  result.total = patch.total() == 0 ? 1 : patch.total();
  result.series_version = patch.series_version() == 0 ? 1 : patch.series_version();
  result.subject = patch.subject();
  result.author = patch.author();
  checks.Range("total", result.total, 1, 9999);
  checks.Range("series_version", result.series_version, 1, 9999);
  if (result.number < 0 || result.number > result.total) {
    checks.Fail("number", fmt::format("is {} of {}; must be 1 to the total, or 0 for the series",
                                      result.number, result.total));
  }
  if (!checks.ok()) return checks.status();
  return result;
}

// The id, which a patch makes and any other commit brings.
void ReadId(const v1::Commit& commit, FieldChecks* checks, model::Commit* result) {
  if (!commit.has_patch()) {
    checks->Name("commit_id", commit.commit_id(), kMaxCommitIdBytes);
    if (commit.commit_id().starts_with(kPatchPrefix)) {
      checks->Fail("commit_id", "begins with patch:; describe the patch in the field patch");
    }
    result->commit_id = NormalId(commit.commit_id());
    return;
  }
  auto patch = FromProto(commit.patch(), checks->PathOf("patch"));
  checks->Merge("patch", patch.status());
  if (!patch.ok()) return;
  result->commit_id = model::PatchCommitId(*patch);
  result->patch = *std::move(patch);
  if (!commit.commit_id().empty() && commit.commit_id() != result->commit_id) {
    checks->Fail("commit_id", "is not that of the patch; leave it empty");
  }
}

void ReadParents(const v1::Commit& commit, FieldChecks* checks, model::Commit* result) {
  checks->Count("parent_ids", commit.parent_ids_size(), kMaxParents);
  for (int i = 0; i < commit.parent_ids_size() && checks->ok(); ++i) {
    const std::string field = IndexPath("parent_ids", i);
    checks->Name(field, commit.parent_ids(i), kMaxStoredIdBytes);
    std::string parent_id = NormalId(commit.parent_ids(i));
    if (parent_id == result->commit_id) {
      checks->Fail(field, fmt::format("is the commit {} itself; give its parents", parent_id));
    }
    result->parent_ids.push_back(std::move(parent_id));
  }
  if (commit.root() && commit.parent_ids_size() > 0) {
    checks->Fail("root", "is set beside parent_ids; a root has no parents");
  }
  result->root = commit.root();
}

}  // namespace

void ToProto(const model::Commit& commit, v1::Commit* out) {
  out->set_commit_id(commit.commit_id);
  out->set_describe(commit.describe);
  out->set_subject(commit.subject);
  out->set_author(commit.author);
  if (commit.author_time) ToProto(*commit.author_time, out->mutable_author_time());
  out->mutable_parent_ids()->Add(commit.parent_ids.begin(), commit.parent_ids.end());
  out->set_root(commit.root);
  out->mutable_branches()->Add(commit.branches.begin(), commit.branches.end());
  if (commit.patch) ToProto(*commit.patch, out->mutable_patch());
  out->mutable_trailers()->Add(commit.trailers.begin(), commit.trailers.end());
  out->mutable_tags()->Add(commit.tags.begin(), commit.tags.end());
}

absl::StatusOr<model::Commit> FromProto(const v1::Commit& commit, std::string_view path) {
  FieldChecks checks(path);
  if (const std::size_t size = commit.ByteSizeLong(); size > kMaxMessageBytes) {
    checks.Fail("", fmt::format("has {} bytes; at most {} are taken: send fewer trailers", size,
                                kMaxMessageBytes));
  }
  model::Commit result;
  ReadId(commit, &checks, &result);
  ReadParents(commit, &checks, &result);
  checks.Line("describe", commit.describe(), kMaxDescribeBytes);
  checks.Line("subject", commit.subject(), kMaxLineBytes);
  checks.Line("author", commit.author(), kMaxLineBytes);
  result.describe = commit.describe();
  result.subject = commit.subject();
  result.author = commit.author();
  if (commit.has_author_time()) {
    const auto time = FromProto(commit.author_time(), checks.PathOf("author_time"));
    checks.Merge("author_time", time.status());
    if (time.ok()) result.author_time = *time;
  }
  checks.Count("branches", commit.branches_size(), kMaxBranches);
  for (int i = 0; i < commit.branches_size() && checks.ok(); ++i) {
    checks.Name(IndexPath("branches", i), commit.branches(i), kMaxDescribeBytes);
  }
  checks.Count("tags", commit.tags_size(), kMaxTags);
  for (int i = 0; i < commit.tags_size() && checks.ok(); ++i) {
    checks.Name(IndexPath("tags", i), commit.tags(i), kMaxDescribeBytes);
  }
  checks.Count("trailers", commit.trailers_size(), kMaxTrailers);
  for (int i = 0; i < commit.trailers_size() && checks.ok(); ++i) {
    checks.Line(IndexPath("trailers", i), commit.trailers(i), kMaxLineBytes);
  }
  if (!checks.ok()) return checks.status();
  result.branches.assign(commit.branches().begin(), commit.branches().end());
  result.tags.assign(commit.tags().begin(), commit.tags().end());
  result.trailers.assign(commit.trailers().begin(), commit.trailers().end());
  return result;
}

}  // namespace regressd::common
