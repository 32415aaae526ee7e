#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "services/ctl/arguments.h"
#include "services/ctl/command.h"
#include "services/ctl/commit_client.h"
#include "services/ctl/git_log.h"
#include "services/report/render_table.h"
#include "services/report/text.h"
#include "services/report/time_text.h"

namespace regressd::ctl {
namespace {

constexpr std::size_t kBatchSize = 1000;

struct AddOptions {
  GitRange range{.repository = ".", .range = "", .describe = false};
  std::vector<std::string> revisions;
  std::string branch;
};

absl::StatusOr<ExitCode> AddCommits(Context& context, AddOptions options) {
  for (const std::string& revision : options.revisions) options.range.range += revision + " ";
  std::optional<std::int64_t> total;
  if (context.progress != Progress::Style::kNone) {
    const absl::StatusOr<std::int64_t> count = CountCommits(options.range);
    if (!count.ok()) return count.status();
    total = *count;
  }
  Progress progress(context.progress, "commits", total);
  const CommitClient client(context.connection, context.skipped);
  AddedCommits sum;
  std::vector<model::Commit> batch;
  std::int64_t done = 0;
  const auto send = [&]() -> absl::Status {
    if (batch.empty()) return absl::OkStatus();
    const absl::StatusOr<AddedCommits> added = client.Add(batch);
    if (!added.ok()) return added.status();
    sum.added += added->added;
    sum.completed += added->completed;
    sum.unchanged += added->unchanged;
    sum.linked += added->linked;
    done += static_cast<std::int64_t>(batch.size());
    batch.clear();
    progress.Set(done);
    return absl::OkStatus();
  };
  absl::Status status = ReadCommits(options.range, [&](model::Commit commit) -> absl::Status {
    if (!options.branch.empty()) commit.branches = {options.branch};
    batch.push_back(std::move(commit));
    return batch.size() == kBatchSize ? send() : absl::OkStatus();
  });
  if (status.ok()) status = send();
  if (!status.ok()) {
    if (done > 0) Say(context, fmt::format("{} commits were stored before the error", done));
    return status;
  }
  if (done == 0) {
    return absl::InvalidArgumentError(
        fmt::format("no commit is in \"{}\" of {}; try a range as in v6.12..v6.13",
                    report::OneLine(options.range.range), options.range.repository));
  }
  Say(context, fmt::format("{}: {} added, {} completed, {} known before",
                           report::Counted(static_cast<std::size_t>(done), "commit"), sum.added,
                           sum.completed, sum.unchanged));
  if (sum.linked > 0) {
    Say(context, fmt::format("{} under which runs had come: they are runs of these commits now",
                             report::Counted(static_cast<std::size_t>(sum.linked), "short name")));
  }
  return ExitCode::kOk;
}

struct ListOptions {
  std::string branch;
  bool with_runs_only = false;
  std::int32_t limit = 100;
  Format format = Format::kTable;
};

nlohmann::ordered_json ToJson(const CommitEntry& entry) {
  const model::Commit& commit = entry.commit;
  nlohmann::ordered_json json = {{"commit", commit.commit_id},
                                 {"run_count", std::to_string(entry.run_count)}};
  const auto put = [&json](const char* key, const auto& value) {
    if (!value.empty()) json[key] = value;
  };
  put("describe", commit.describe);
  put("subject", commit.subject);
  put("author", commit.author);
  put("parents", commit.parent_ids);
  put("branches", commit.branches);
  put("tags", commit.tags);
  put("trailers", commit.trailers);
  if (commit.root) json["root"] = true;
  if (commit.author_time) json["author_time"] = report::Rfc3339(*commit.author_time);
  return json;
}

void PrintCommits(const std::vector<CommitEntry>& entries, Format format, Output& output) {
  if (format == Format::kJson) {
    nlohmann::ordered_json document = {{"schema", "regressd.commits/1"},
                                       {"commits", nlohmann::ordered_json::array()}};
    for (const CommitEntry& entry : entries) document["commits"].push_back(ToJson(entry));
    output.Write(document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
                 "\n");
    return;
  }
  if (format == Format::kCsv) output.Write("commit,describe,run_count,author,subject\n");
  for (const auto& [commit, run_count] : entries) {
    output.Write(
        format == Format::kCsv
            ? fmt::format("{},{},{},{},{}\n", CsvField(commit.commit_id), CsvField(commit.describe),
                          run_count, CsvField(commit.author), CsvField(commit.subject))
            : fmt::format("{:<12} {:>5} {}  {}\n", report::OneLine(report::ShortCommit(commit)),
                          run_count, run_count == 1 ? "run " : "runs",
                          report::OneLine(commit.subject)));
  }
}

absl::StatusOr<ExitCode> ListCommits(Context& context, const ListOptions& options) {
  const CommitClient client(context.connection, context.skipped);
  const auto entries = client.List(options.branch, options.with_runs_only, options.limit);
  if (!entries.ok()) return entries.status();
  PrintCommits(*entries, options.format, context.output);
  if (entries->empty() && context.skipped_count == 0) {
    Say(context, "no commit fits; without filters, `regressctl commits list` lists all");
  }
  return ExitCode::kOk;
}

}  // namespace

void AddCommitCommands(Commands& commands) {
  CLI::App* parent =
      commands.app.add_subcommand("commits", "Commits and how they follow each other");
  parent->require_subcommand(1);

  CLI::App* add = parent->add_subcommand("add", "Add the commits of a git range");
  auto add_options = std::make_shared<AddOptions>();
  add->add_option("--repo", add_options->range.repository, "Git tree to read")
      ->capture_default_str()
      ->type_name("PATH")
      ->check(NotEmpty());
  add->add_option("--branch", add_options->branch, "Branch that they were seen on")
      ->check(NotEmpty());
  add->add_flag("--describe", add_options->range.describe,
                "Also name each by the nearest tag; slow on large ranges");
  add->add_option("range", add_options->revisions, "As for git log: v6.12..v6.13")
      ->required()
      ->type_name("RANGE")
      ->check(NotEmpty());
  commands.work[add] = [add_options](Context& context) {
    return AddCommits(context, *add_options);
  };

  CLI::App* list = parent->add_subcommand("list", "List commits, newest arrival first");
  auto list_options = std::make_shared<ListOptions>();
  list->add_option("--branch", list_options->branch, "Only of this branch")->check(NotEmpty());
  list->add_flag("--with-runs", list_options->with_runs_only, "Only ones that have runs");
  AddLimitOption(list, &list_options->limit);
  AddFormatOption(list, &list_options->format);
  commands.work[list] = [list_options](Context& context) {
    return ListCommits(context, *list_options);
  };
}

}  // namespace regressd::ctl
