#include "services/agent/job/job_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "services/agent/job/job_fields.h"
#include "services/common/near_name.h"

namespace regressd::agent {
namespace {

TomlField SettingsField(std::string key, std::vector<KernelSetting>* out) {
  return {std::move(key), [out](const toml::node& node) {
            std::vector<model::Axis> pairs;
            if (absl::Status status = PairsField("", &pairs).read(node); !status.ok())
              return status;
            for (const model::Axis& pair : pairs) {
              absl::StatusOr<KernelSetting> setting = MakeKernelSetting(pair.key, pair.value);
              if (!setting.ok()) return setting.status();
              out->push_back(*std::move(setting));
            }
            return absl::OkStatus();
          }};
}

TomlField MonitorsField(std::string key, std::optional<std::vector<std::string>>* out) {
  return {std::move(key),
          [out](const toml::node& node) { return TextListField("", &out->emplace()).read(node); }};
}

TomlField ReaderField(std::string key, std::string* out) {
  return {std::move(key), [out](const toml::node& node) {
            if (absl::Status status = TextField("", out).read(node); !status.ok()) return status;
            const std::vector<std::string> known = ReaderNames();
            if (std::find(known.begin(), known.end(), *out) != known.end()) {
              return absl::OkStatus();
            }
            const std::string near = common::NearName(*out, known);
            return absl::InvalidArgumentError(
                fmt::format("\"{}\" is no reader; {}", *out,
                            near.empty() ? fmt::format("known are {}", fmt::join(known, ", "))
                                         : fmt::format("did you mean {}?", near)));
          }};
}

/// A table of its own in the job.
TomlField TableField(std::string key, const std::string& file, std::vector<TomlField> fields) {
  return {std::move(key), [file, fields = std::move(fields)](const toml::node& node) {
            const toml::table* table = node.as_table();
            if (table == nullptr) return absl::InvalidArgumentError("must be a table");
            return ReadTable(*table, file, fields);
          }};
}

std::vector<TomlField> PatchFields(JobPatch* patch) {
  return {TextField("message_id", &patch->message_id),
          TextField("base", &patch->base),
          TextField("subject", &patch->subject),
          TextField("author", &patch->author),
          TextField("number", &patch->number),
          IntegerField("version", 1, 1000, &patch->version)};
}

std::vector<TomlField> SetupFields(JobSetup* setup) {
  return {TextField("memcg", &setup->memcg),
          TextField("swap", &setup->swap),
          TextField("swap_dir", &setup->swap_directory),
          BoolField("drop_caches", &setup->drop_caches),
          SettingsField("set", &setup->settings),
          BoolField("settings_are_axes", &setup->settings_are_axes)};
}

}  // namespace

std::vector<TomlField> JobFields(Job* job, const std::string& file) {
  return {TextField("testcase", &job->testcase),
          TextField("commit", &job->commit),
          TextField("kernel_describe", &job->kernel_describe),
          TextField("branch", &job->branch),
          TextField("expect_kernel", &job->expect_kernel),
          TableField("patch", file, PatchFields(&job->patch)),
          PairsField("params", &job->params),
          PairsField("axes", &job->axes),
          TableField("setup", file, SetupFields(&job->setup)),
          TextListField("command", &job->command),
          ReaderField("reader", &job->reader),
          TextListField("result_files", &job->result_files),
          MonitorsField("monitors", &job->monitors),
          IntegerField("interval_ms", 10, 3'600'000, &job->interval_ms),
          TextListField("perf_events", &job->perf_events),
          IntegerField("profile_frequency_hz", 1, 10'000, &job->profile_frequency_hz),
          NumberField("profile_window_s", 1, 3600, &job->profile_window_s),
          TextField("profile_event", &job->profile_event),
          IntegerField("runs", 1, 100'000, &job->runs),
          IntegerField("warm_up_runs", 0, 1000, &job->warm_up_runs),
          NumberField("timeout_s", 0, 1e8, &job->timeout_s),
          NumberField("duration_s", 0, 1e6, &job->duration_s)};
}

absl::StatusOr<Job> ParseJob(std::string_view text, const std::string& file) {
  const absl::StatusOr<toml::table> table = ParseToml(text, file);
  if (!table.ok()) return table.status();
  Job job;
  if (absl::Status status = ReadTable(*table, file, JobFields(&job, file)); !status.ok()) {
    return status;
  }
  return job;
}

absl::StatusOr<Job> ReadJobFile(const std::string& file) {
  const absl::StatusOr<std::string> text = ReadTomlText(file);
  if (!text.ok()) return text.status();
  return ParseJob(*text, file);
}

}  // namespace regressd::agent
