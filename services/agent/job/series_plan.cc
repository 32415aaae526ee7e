#include "services/agent/job/series_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "services/agent/job/job_fields.h"
#include "services/agent/job/job_file.h"

namespace regressd::agent {
namespace {

constexpr std::int64_t kMaxRounds = 10'000;

/// The keys of a plan as they stand in its file.
struct PlanKeys {
  std::optional<std::int64_t> rounds;
  std::string order = "interleaved";
  std::optional<std::int64_t> warm_up_runs;
  std::optional<double> cool_down_s;
  std::optional<bool> drop_caches;
};

std::vector<std::size_t> StepsOf(std::size_t job_count, const PlanKeys& keys) {
  std::vector<std::size_t> steps;
  const auto round_count = static_cast<std::size_t>(keys.rounds.value_or(1));
  const bool blocks = keys.order == "blocks";
  for (std::size_t i = 0; i < job_count * round_count; ++i) {
    steps.push_back(blocks ? i / round_count : i % job_count);
  }
  return steps;
}

/// Reads the tables [[job]].
class PlanReader {
 public:
  PlanReader(std::string file, std::string directory, SeriesPlan* plan)
      : file_(std::move(file)), directory_(std::move(directory)), plan_(plan) {}

  absl::Status ReadJobs(const toml::node& node) {
    const toml::array* list = node.as_array();
    if (list == nullptr || list->empty()) {
      return absl::InvalidArgumentError("must be one or more tables [[job]]");
    }
    for (const toml::node& item : *list) {
      const toml::table* table = item.as_table();
      if (table == nullptr) return TomlError(item, file_, "job must be a table [[job]]");
      if (absl::Status status = ReadJob(*table); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  absl::Status ReadJob(const toml::table& table) {
    SeriesJob entry;
    Job over;
    std::string job_file;
    std::vector<TomlField> fields = JobFields(&over, file_);
    fields.push_back(TextField("label", &entry.label));
    fields.push_back(TextField("kernel", &entry.kernel));
    fields.push_back(TextField("file", &job_file));
    if (absl::Status status = ReadTable(table, file_, fields); !status.ok()) return status;
    if (!job_file.empty()) {
      const std::string path = (std::filesystem::path(directory_) / job_file).string();
      absl::StatusOr<std::string> text = ReadTomlText(path);
      if (!text.ok()) return TomlError(table, file_, std::string(text.status().message()));
      absl::StatusOr<Job> base = ParseJob(*text, path);
      if (!base.ok()) return base.status();
      plan_->text += *text;
      over = Overlay(*std::move(base), over);
    }
    if (over.command.empty()) return TomlError(table, file_, "job has no command");
    if (entry.label.empty()) entry.label = over.commit;
    if (entry.label.empty()) return TomlError(table, file_, "job has no label and no commit");
    for (const SeriesJob& other : plan_->jobs) {
      if (other.label != entry.label) continue;
      return TomlError(table, file_,
                       fmt::format("label \"{}\" is there twice; give each job one", entry.label));
    }
    if (entry.kernel.empty()) entry.kernel = over.expect_kernel;
    over.expect_kernel = entry.kernel;
    entry.job = std::move(over);
    plan_->jobs.push_back(std::move(entry));
    return absl::OkStatus();
  }

  const std::string file_;
  const std::string directory_;
  SeriesPlan* const plan_;
};

TomlField OrderField(std::string* out) {
  return {"order", [out](const toml::node& node) {
            const auto text = node.value_exact<std::string>();
            if (!text || (*text != "interleaved" && *text != "blocks")) {
              return absl::InvalidArgumentError("must be \"interleaved\" or \"blocks\"");
            }
            *out = *text;
            return absl::OkStatus();
          }};
}

}  // namespace

absl::StatusOr<SeriesPlan> ParseSeriesPlan(std::string_view text, const std::string& file,
                                           const std::string& directory) {
  const absl::StatusOr<toml::table> table = ParseToml(text, file);
  if (!table.ok()) return table.status();
  SeriesPlan plan;
  plan.text = text;
  PlanKeys keys;
  PlanReader reader(file, directory, &plan);
  const std::vector<TomlField> fields = {
      IntegerField("rounds", 1, kMaxRounds, &keys.rounds),
      OrderField(&keys.order),
      IntegerField("warm_up_runs", 0, 1000, &keys.warm_up_runs),
      NumberField("cool_down_s", 0, 86'400, &keys.cool_down_s),
      BoolField("drop_caches", &keys.drop_caches),
      TextListField("switch_kernel", &plan.switch_kernel),
      {"job", [&reader](const toml::node& node) { return reader.ReadJobs(node); }}};
  if (absl::Status status = ReadTable(*table, file, fields); !status.ok()) return status;
  if (plan.jobs.empty()) {
    return absl::InvalidArgumentError(fmt::format("{}: has no [[job]]", file));
  }
  for (SeriesJob& entry : plan.jobs) {
    if (keys.drop_caches) entry.job.setup.drop_caches = keys.drop_caches;
    // The plan says how often each is run and warmed up; the job would say it for itself alone.
    entry.job.runs.reset();
    entry.job.warm_up_runs.reset();
  }
  plan.warm_up_runs = keys.warm_up_runs.value_or(0);
  plan.cool_down_s = keys.cool_down_s.value_or(0);
  plan.steps = StepsOf(plan.jobs.size(), keys);
  return plan;
}

absl::StatusOr<SeriesPlan> ReadSeriesPlan(const std::string& file) {
  const absl::StatusOr<std::string> text = ReadTomlText(file);
  if (!text.ok()) return text.status();
  return ParseSeriesPlan(*text, file, std::filesystem::path(file).parent_path().string());
}

SeriesPlan MakeAaPlan(const Job& job, std::int64_t count) {
  SeriesPlan plan;
  plan.text = JobText(job);
  plan.warm_up_runs = job.warm_up_runs.value_or(0);
  for (const char* label : {"A", "A'"}) {
    SeriesJob entry{.label = label, .kernel = job.expect_kernel, .job = job};
    entry.job.axes.push_back({kAaAxis, label});
    entry.job.runs.reset();
    entry.job.warm_up_runs.reset();
    plan.jobs.push_back(std::move(entry));
  }
  for (std::int64_t i = 0; i < count; ++i) plan.steps.push_back(static_cast<std::size_t>(i % 2));
  return plan;
}

}  // namespace regressd::agent
