#include "services/ctl/git_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "services/common/text_check.h"
#include "services/ctl/read_command.h"
#include "services/report/text.h"

namespace regressd::ctl {
namespace {

// NUL ends each field: no other byte is safe in names, subjects and trailers.
constexpr const char* kFormat =
    "--format=tformat:%H%x00%P%x00%an <%ae>%x00%at%x00%s%x00"
    "%(trailers:key=Fixes,key=Link,key=Closes,unfold)%x00%D%x00";
constexpr std::size_t kFieldCount = 7;
constexpr std::size_t kMostLineBytes = 1000;  // Longer subjects are pasted text.

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    if (end != 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parts;
}

std::string CleanLine(std::string_view text) {
  return common::ClampUtf8(report::OneLine(text), kMostLineBytes);
}

// "tag: v6.12, tag: v6.12-final"; a name of git has no blanks.
std::vector<std::string> TagsOf(std::string_view decorations) {
  constexpr std::string_view kTag = "tag: ";
  std::vector<std::string> tags;
  while (!decorations.empty()) {
    const std::size_t end = std::min(decorations.find(", "), decorations.size());
    const std::string_view one = decorations.substr(0, end);
    if (one.starts_with(kTag)) tags.push_back(CleanLine(one.substr(kTag.size())));
    decorations.remove_prefix(std::min(end + 2, decorations.size()));
  }
  return tags;
}

std::vector<std::string> Git(const GitRange& range, std::vector<std::string> arguments) {
  std::vector<std::string> all = {"git", "-C", range.repository, "--no-pager"};
  for (std::string& argument : arguments) all.push_back(std::move(argument));
  return all;
}

// The range as arguments that git cannot take for options or files.
std::vector<std::string> WithRange(std::vector<std::string> arguments, const GitRange& range) {
  arguments.push_back("--end-of-options");
  for (std::string& revision : Split(range.range, ' ')) arguments.push_back(std::move(revision));
  arguments.push_back("--");
  return arguments;
}

absl::StatusOr<std::string> ReadLine(const std::vector<std::string>& command) {
  std::string text;
  const absl::Status status = ReadCommand(command, [&](std::string_view part) {
    text += part;
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return text.substr(0, text.find('\n'));
}

// Cuts git's output into commits.
class LogReader {
 public:
  LogReader(bool shallow, bool describe, const std::function<absl::Status(model::Commit)>& take)
      : shallow_(shallow), field_count_(kFieldCount + (describe ? 1 : 0)), take_(take) {}

  absl::Status Take(std::string_view part) {
    for (const char c : part) {
      if (c != '\0') {
        // git puts a line end between two commits.
        if (c != '\n' || count_ > 0 || !fields_[0].empty()) fields_[count_] += c;
        continue;
      }
      if (++count_ < field_count_) continue;
      const absl::Status status = Give();
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status Finish() const {
    return count_ == 0 && fields_[0].empty()
               ? absl::OkStatus()
               : absl::InternalError("the output of git log ends within a commit");
  }

 private:
  absl::Status Give() {
    model::Commit commit;
    commit.commit_id = fields_[0];
    commit.parent_ids = Split(fields_[1], ' ');
    commit.root = commit.parent_ids.empty() && !shallow_;
    commit.author = CleanLine(fields_[2]);
    std::int64_t seconds = 0;
    const std::string& time = fields_[3];
    const auto [end, error] = std::from_chars(time.data(), time.data() + time.size(), seconds);
    if (error == std::errc() && end == time.data() + time.size()) {
      commit.author_time = model::Time(std::chrono::seconds(seconds));
    }
    commit.subject = CleanLine(fields_[4]);
    for (const std::string& trailer : Split(fields_[5], '\n')) {
      commit.trailers.push_back(CleanLine(trailer));
    }
    commit.tags = TagsOf(fields_[6]);
    commit.describe = CleanLine(fields_[7]);
    for (std::string& field : fields_) field.clear();
    count_ = 0;
    return take_(std::move(commit));
  }

  const bool shallow_;
  const std::size_t field_count_;
  const std::function<absl::Status(model::Commit)>& take_;
  std::array<std::string, kFieldCount + 1> fields_;
  std::size_t count_ = 0;
};

}  // namespace

absl::StatusOr<std::int64_t> CountCommits(const GitRange& range) {
  const absl::StatusOr<std::string> line =
      ReadLine(Git(range, WithRange({"rev-list", "--count"}, range)));
  if (!line.ok()) return line.status();
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(line->data(), line->data() + line->size(), count);
  if (error != std::errc() || end != line->data() + line->size()) {
    return absl::InternalError(
        fmt::format("git rev-list --count said \"{}\"", report::OneLine(*line)));
  }
  return count;
}

absl::Status ReadCommits(const GitRange& range,
                         const std::function<absl::Status(model::Commit)>& take) {
  const absl::StatusOr<std::string> shallow =
      ReadLine(Git(range, {"rev-parse", "--is-shallow-repository"}));
  if (!shallow.ok()) return shallow.status();
  LogReader reader(*shallow == "true", range.describe, take);
  std::string format = kFormat;
  if (range.describe) format += "%(describe:tags)%x00";
  const absl::Status status =
      ReadCommand(Git(range, WithRange({"log", "--no-color", "--encoding=UTF-8",
                                        "--decorate-refs=refs/tags/*", format},
                                       range)),
                  [&](std::string_view part) { return reader.Take(part); });
  return status.ok() ? reader.Finish() : status;
}

}  // namespace regressd::ctl
