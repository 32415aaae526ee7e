#include "services/agent/run_options.h"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "services/common/option_checks.h"

namespace regressd::agent {
namespace {

absl::Status AddPair(const std::string& text, std::string_view option,
                     std::vector<model::Axis>* pairs) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return absl::InvalidArgumentError(
        fmt::format("{} \"{}\": write it as key=value", option, text));
  }
  const std::string key = text.substr(0, equals);
  const bool known = std::any_of(pairs->begin(), pairs->end(),
                                 [&key](const model::Axis& pair) { return pair.key == key; });
  if (known) {
    return absl::InvalidArgumentError(
        fmt::format("{} \"{}\": {} is set already", option, text, key));
  }
  pairs->push_back({key, text.substr(equals + 1)});
  return absl::OkStatus();
}

std::string DefaultSpoolDirectory() {
  if (geteuid() == 0) return "/var/lib/regress-agent";
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state != '\0') {
    return std::string(state) + "/regress-agent";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return std::string(home) + "/.local/state/regress-agent";
  }
  return "";
}

std::string_view DeliveryText(Delivery delivery) {
  switch (delivery) {
    case Delivery::kDelivered:
      return "delivered";
    case Delivery::kRefused:
      return "refused";
    case Delivery::kUnderway:
      break;
  }
  return "unreachable";
}

nlohmann::json ToJson(const RunReport& report) {
  nlohmann::json json = {
      {"run_uuid", report.run_uuid},
      {"state", report.command.failed() ? "failed" : "complete"},
      {"exit_status", report.command.exit.exit_status},
      {"term_signal", report.command.exit.term_signal},
      {"elapsed_seconds", std::chrono::duration<double>(report.command.elapsed).count()},
      {"metric_count", report.metric_count},
      {"sample_count", report.sample_count},
      {"result_count", report.result_count},
      {"lost_sample_count", report.delivery.stats.lost_seq_count},
      {"delivery", DeliveryText(report.delivery.delivery)},
      {"monitor_notes", report.monitor_notes}};
  if (!report.command.failure.empty()) json["failure"] = report.command.failure;
  if (!report.delivery.error.empty()) json["error"] = report.delivery.error;
  if (!report.delivery.spool_path.empty()) json["spool"] = report.delivery.spool_path.string();
  return json;
}

}  // namespace

void AddTo(CLI::App& app, RunOptions* options) {
  app.add_option("--testcase", options->job.testcase, "Name of the test; first of its axes")
      ->type_name("NAME");
  app.add_option("--param", options->parameters, "Parameter of the test, an axis; may repeat")
      ->type_name("K=V")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--axis", options->axes,
                 "Further axis: kconfig, compiler, rootfs, tbox_group, ...; may repeat")
      ->type_name("K=V")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--commit", options->job.commit,
                 "Commit under test: 40 hex digits, a tag or a release")
      ->type_name("SHA");
  app.add_option("--kernel-describe", options->job.kernel_describe, "git describe of the commit")
      ->type_name("TEXT");
  app.add_option("--branch", options->job.branch, "Branch that the commit is on")
      ->type_name("NAME");
  app.add_option("--patch-message-id", options->job.patch.message_id,
                 "The tested thing is this mail's patch on a base commit")
      ->type_name("ID");
  app.add_option("--patch-base", options->job.patch.base,
                 "Commit that the patch was applied on; --commit without it")
      ->type_name("SHA");
  app.add_option("--patch-subject", options->job.patch.subject, "Subject of the patch's mail")
      ->type_name("TEXT");
  app.add_option("--patch-author", options->job.patch.author, "Sender of the patch's mail")
      ->type_name("TEXT");
  app.add_option("--patch-version", options->job.patch.version, "2 in [PATCH v2 3/7]; 1 without it")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  app.add_option("--patch-number", options->job.patch.number,
                 "3/7 in [PATCH v2 3/7]; 0/7 for the whole series")
      ->type_name("N/M");
  app.add_flag("--quiet,-q", options->quiet, "Say only what went wrong");
  app.add_flag("--json", options->json, "Print one line of JSON for each run on stdout");
}

void AddTo(CLI::App& app, DeliveryFlags* flags) {
  app.add_option("--server", flags->server, "Where regressd takes runs")
      ->type_name("HOST:PORT")
      ->envname("REGRESSD_SERVER")
      ->check(common::IsServerAddress())
      ->default_val("127.0.0.1:7878");
  app.add_option("--spool-dir", flags->spool_directory,
                 "Where samples wait until the server has stored them")
      ->type_name("DIR")
      ->envname("REGRESS_AGENT_SPOOL_DIR")
      ->default_val(DefaultSpoolDirectory());
  app.add_option("--spool-limit-mib", flags->spool_limit_mib,
                 "Samples of a run beyond this are recorded as a gap")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 20))
      ->capture_default_str();
  app.add_option("--deliver-timeout", flags->deliver_timeout_s,
                 "Wait at the end for a server that is away, at most so long")
      ->type_name("SECONDS")
      ->check(common::FiniteRange(0, 1e6))
      ->capture_default_str();
}

absl::StatusOr<Job> MakeJob(const RunOptions& options) {
  Job job = options.job;
  for (const std::string& text : options.parameters) {
    if (absl::Status status = AddPair(text, "--param", &job.params); !status.ok()) return status;
  }
  for (const std::string& text : options.axes) {
    if (absl::Status status = AddPair(text, "--axis", &job.axes); !status.ok()) return status;
  }
  return job;
}

DeliveryOptions MakeDelivery(const DeliveryFlags& flags) {
  DeliveryOptions options;
  options.spool.directory = flags.spool_directory;
  options.spool.max_bytes = static_cast<std::size_t>(flags.spool_limit_mib) * 1024 * 1024;
  options.sender.server = flags.server;
  options.deliver_timeout =
      std::chrono::milliseconds(static_cast<std::int64_t>(flags.deliver_timeout_s * 1000));
  return options;
}

void SetUpLog(bool quiet) {
  auto logger = spdlog::stderr_color_mt("regress-agent");
  spdlog::set_default_logger(logger);
  spdlog::set_pattern("%n: %v");
  spdlog::set_level(quiet ? spdlog::level::warn : spdlog::level::info);
}

void PrintReport(const RunReport& report, const RunOptions& options) {
  for (const auto& [monitor, note] : report.monitor_notes) {
    spdlog::info("note on {}: {}", monitor, note);
  }
  if (report.delivery.stats.lost_seq_count > 0) {
    spdlog::warn("run {}: {} samples lost, recorded as gaps", report.run_uuid,
                 report.delivery.stats.lost_seq_count);
  }
  std::string end = "complete";
  if (report.command.failed()) {
    end = "failed: " + (report.command.failure.empty() ? report.command.exit.Describe()
                                                       : report.command.failure);
  }
  const auto level = report.command.failed() ? spdlog::level::warn : spdlog::level::info;
  spdlog::log(level, "run {} {}; {:.1f} s, {} metrics, {} samples, {} results, {}", report.run_uuid,
              end, std::chrono::duration<double>(report.command.elapsed).count(),
              report.metric_count, report.sample_count, report.result_count,
              std::string(DeliveryText(report.delivery.delivery)));
  if (!options.json) return;
  fmt::print("{}\n", ToJson(report).dump());
  std::fflush(stdout);
}

int Fail(const absl::Status& status) {
  spdlog::error("{}", std::string(status.message()));
  return absl::IsInvalidArgument(status) ? kExitUsage : kExitRefused;
}

}  // namespace regressd::agent
