#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "services/ctl/arguments.h"
#include "services/ctl/command.h"
#include "services/ctl/run_client.h"
#include "services/report/text.h"
#include "services/report/time_text.h"

namespace regressd::ctl {
namespace {

using nlohmann::ordered_json;

struct SampleOptions {
  std::string run;
  std::vector<std::string> metrics;
  Format format = Format::kTable;
};

std::string ValueText(const Sample& sample) {
  return sample.value ? NumberText(*sample.value) : std::string();
}

std::string SampleJson(const std::string& metric, const Sample& sample) {
  ordered_json json = {{"metric", metric}, {"time", report::Rfc3339(sample.time)}};
  if (sample.value) json["value"] = *sample.value;
  if (!sample.exact_value.empty()) json["exact"] = sample.exact_value;
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

// As the parts come: a long run has more samples than should be held in memory.
absl::StatusOr<ExitCode> ReadSamples(Context& context, const SampleOptions& options) {
  Output& output = context.output;
  const bool json = options.format == Format::kJson;
  Progress progress(context.progress, "samples", std::nullopt);
  std::int64_t count = 0;
  const absl::Status status =
      RunClient(context.connection, context.skipped)
          .ReadSamples(
              options.run, options.metrics,
              [&](const model::Metric& metric, const std::vector<Sample>& samples) {
                for (const Sample& sample : samples) {
                  if (count++ == 0) {
                    output.Write(json ? "{\"schema\": \"regressd.samples/1\", \"samples\": [\n"
                                      : "metric,time,value\n");
                  } else if (json) {
                    output.Write(",\n");
                  }
                  output.Write(json ? SampleJson(metric.name, sample)
                                    : fmt::format("{},{},{}\n", CsvField(metric.name),
                                                  report::Rfc3339(sample.time), ValueText(sample)));
                }
                progress.Set(count);
                return !output.closed();
              });
  if (!status.ok()) return status;
  if (json) {
    output.Write(count == 0 ? "{\"schema\": \"regressd.samples/1\", \"samples\": []}\n" : "\n]}\n");
  }
  return ExitCode::kOk;
}

struct StackOptions {
  std::string run;
  std::string event;
};

absl::StatusOr<ExitCode> ReadStacks(Context& context, const StackOptions& options) {
  std::map<std::string, std::string> folded_of_event;
  const absl::Status status =
      RunClient(context.connection, context.skipped)
          .ReadStacks(options.run, [&](const StackCount& stack) {
            fmt::format_to(std::back_inserter(folded_of_event[stack.event]), "{} {}\n",
                           report::OneLine(stack.folded), stack.count);
            return true;
          });
  if (!status.ok()) return status;
  std::vector<std::string> events;
  for (const auto& [event, folded] : folded_of_event) events.push_back(report::OneLine(event));
  if (events.empty()) return absl::NotFoundError("the run has no call stacks");
  if (options.event.empty() && events.size() > 1) {
    // Counts of different events must not be added in one flame graph.
    return absl::InvalidArgumentError(
        fmt::format("the run has stacks of {} events: {}; choose one with --event", events.size(),
                    fmt::join(events, ", ")));
  }
  const auto chosen =
      options.event.empty() ? folded_of_event.begin() : folded_of_event.find(options.event);
  if (chosen == folded_of_event.end()) {
    return absl::NotFoundError(fmt::format("the run has no stacks of \"{}\"; it has {}",
                                           report::OneLine(options.event),
                                           fmt::join(events, ", ")));
  }
  context.output.Write(chosen->second);
  return ExitCode::kOk;
}

struct ObservationOptions {
  std::string run;
  std::string metric;
};

absl::StatusOr<ExitCode> ReadObservations(Context& context, const ObservationOptions& options) {
  Progress progress(context.progress, "observations", std::nullopt);
  std::int64_t count = 0;
  const absl::Status status =
      RunClient(context.connection, context.skipped)
          .ReadObservations(options.run, options.metric, [&](const std::vector<double>& values) {
            std::string text;
            for (const double value : values) text += NumberText(value) + "\n";
            context.output.Write(text);
            count += static_cast<std::int64_t>(values.size());
            progress.Set(count);
            return !context.output.closed();
          });
  if (!status.ok()) return status;
  return ExitCode::kOk;
}

}  // namespace

void AddSampleCommands(Commands& commands) {
  CLI::App* samples =
      commands.app.add_subcommand("samples", "Print the samples of metrics of a run");
  auto sample_options = std::make_shared<SampleOptions>();
  AddRunId(samples, &sample_options->run);
  samples->add_option("metric", sample_options->metrics, "Exact names, as in `run ID --metric .`")
      ->required()
      ->type_name("METRIC")
      ->check(NotEmpty());
  AddFormatOption(samples, &sample_options->format);
  commands.work[samples] = [sample_options](Context& context) {
    return ReadSamples(context, *sample_options);
  };

  CLI::App* stacks =
      commands.app.add_subcommand("stacks", "Print a run's folded call stacks, for flame graphs");
  auto stack_options = std::make_shared<StackOptions>();
  AddRunId(stacks, &stack_options->run);
  stacks->add_option("--event", stack_options->event, "Which, when several were sampled")
      ->check(NotEmpty());
  commands.work[stacks] = [stack_options](Context& context) {
    return ReadStacks(context, *stack_options);
  };

  CLI::App* observations = commands.app.add_subcommand(
      "observations", "Print the values of single operations of a run, one a line");
  auto observation_options = std::make_shared<ObservationOptions>();
  AddRunId(observations, &observation_options->run);
  observations->add_option("metric", observation_options->metric, "Exact name")
      ->required()
      ->type_name("METRIC")
      ->check(NotEmpty());
  commands.work[observations] = [observation_options](Context& context) {
    return ReadObservations(context, *observation_options);
  };
}

}  // namespace regressd::ctl
