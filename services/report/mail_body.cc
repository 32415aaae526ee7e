#include "services/report/mail_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include "services/report/current_numbers.h"
#include "services/report/render_table.h"
#include "services/report/shell_text.h"
#include "services/report/text.h"

namespace regressd::report {
namespace {

using model::Judgement;
using model::Regression;
using model::Verdict;

constexpr std::size_t kProseWidth = 72;
constexpr double kGibibyte = 1024.0 * 1024 * 1024;
constexpr double kMebibyte = 1024.0 * 1024;

// Axes that say where and with what, not how the test was called.
constexpr std::array<std::string_view, 5> kNoParameters = {"testcase", "tbox_group", "rootfs",
                                                           "kconfig", "compiler"};

bool IsParameter(std::string_view key) {
  return std::find(kNoParameters.begin(), kNoParameters.end(), key) == kNoParameters.end();
}

std::string Paragraph(const std::string& prose) { return Wrap(prose, kProseWidth) + "\n\n"; }

/// What a closed state says beside the finding; empty when it is open.
std::string_view Fate(model::RegressionState state) {
  switch (state) {
    case model::RegressionState::kFixed:
      return "A later commit has mended it since.";
    case model::RegressionState::kWentAway:
      return "It has gone away by itself since.";
    case model::RegressionState::kEnvironment:
      return "It was found since that the machine changed, not the kernel.";
    case model::RegressionState::kFalsePositive:
      return "It was marked as a false positive since.";
    default:
      return "";
  }
}

bool IsNone(model::RegressionState state) {
  return state == model::RegressionState::kRetracted ||
         state == model::RegressionState::kEnvironment ||
         state == model::RegressionState::kFalsePositive;
}

std::string Finding(const Regression& regression, const MailOptions& options) {
  const std::string title =
      regression.metrics.empty() ? Printable(regression.title) : Title(regression.metrics.front());
  const char* what = regression.head.patch ? "with this patch" : "on";
  const char* verb =
      regression.state == model::RegressionState::kRetracted ? "takes back a" : "noticed a";
  return fmt::format("{} {} {} {}:\n\n", Printable(options.bot_name), verb, title, what);
}

/// What has become of the finding; empty when it stands as it was found.
std::string Since(const Regression& regression, const Judgement* now) {
  if (regression.state == model::RegressionState::kRetracted) {
    return Paragraph("It is no longer found with the runs that there are now, shown below.");
  }
  if (const std::string_view fate = Fate(regression.state); !fate.empty()) {
    return Paragraph(std::string(fate));
  }
  if (now == nullptr) return "";
  return Paragraph(
      fmt::format("Runs came or went since it was found: with those of the table below the verdict "
                  "is {} ({}), and it will be judged again.",
                  ToString(now->verdict), Printable(now->reason)));
}

std::string RunCount(const Regression& regression, const model::ComparisonBlock& block, bool head) {
  const std::size_t column = head ? 1 : 0;
  if (block.columns.size() > column) {
    return Counted(block.columns[column].runs.size(), "run");
  }
  std::int32_t count = 0;
  if (!regression.metrics.empty()) {
    const Judgement& judgement = regression.metrics.front().judgement;
    count = head ? judgement.head.run_count : judgement.base.run_count;
  }
  return Counted(static_cast<std::size_t>(count), "run");
}

std::string Tested(const Regression& regression, const model::ComparisonBlock& block) {
  const model::Commit& head = regression.head;
  std::string text;
  if (head.patch) {
    text += fmt::format("patch subject: {}\n", Printable(head.patch->subject));
    text += fmt::format("patch link: https://lore.kernel.org/r/{}\n",
                        Printable(head.patch->message_id));
  } else {
    text += fmt::format("commit: {}\n", CommitLine(head, false));
  }
  if (!head.branches.empty()) text += fmt::format("branch: {}\n", Printable(head.branches.front()));
  text += fmt::format("base: {}\n", CommitLine(regression.base, false));
  text +=
      fmt::format("compared: {} of the base, {} of the {}\n\n", RunCount(regression, block, false),
                  RunCount(regression, block, true), head.patch ? "patch" : "commit");
  return text;
}

std::string Setup(const Regression& regression) {
  std::string text = fmt::format("testcase: {}\n",
                                 Printable(regression.axes.Find("testcase").value_or("not known")));
  const std::string machine = MachineLine(regression.facts);
  if (!machine.empty()) text += fmt::format("test machine: {}\n", machine);
  text += "parameters:\n\n";
  for (const model::Axis& axis : regression.axes.list()) {
    if (IsParameter(axis.key)) {
      text += fmt::format("\t{}: {}\n", Printable(axis.key), Printable(axis.value));
    }
  }
  return text + '\n';
}

std::string Side(std::string_view name, const model::Summary& summary, std::string_view unit) {
  if (summary.run_count == 0) return fmt::format("\t{}: not measured\n", name);
  std::string text = fmt::format("\t{}: mean {}", name, CompactNumber(summary.mean));
  if (!unit.empty()) text += ' ' + Printable(unit);
  if (summary.run_count > 1)
    text += fmt::format(", sample stddev {}", CompactNumber(summary.sample_stddev));
  return text + fmt::format(", {}\n", Counted(static_cast<std::size_t>(summary.run_count), "run"));
}

std::string_view Direction(model::Better better) {
  switch (better) {
    case model::Better::kHigher:
      return " (higher is better)";
    case model::Better::kLower:
      return " (lower is better)";
    case model::Better::kNeither:
      return "";
  }
  return "";
}

std::string Numbers(const model::RegressionMetric& headline, std::string_view when) {
  const Judgement& judgement = headline.judgement;
  std::string text =
      fmt::format("What the verdict on {}{} {}:\n\n", Printable(headline.metric.name),
                  Direction(headline.metric.better), when);
  text += Side("base", judgement.base, headline.metric.unit);
  text += Side("head", judgement.head, headline.metric.unit);
  if (judgement.q_value) {
    text += fmt::format("\tq value: {:.2g} (limit {:g}; false discovery rate over {})\n",
                        *judgement.q_value, judgement.max_q_value,
                        Counted(static_cast<std::size_t>(judgement.family_size), "metric"));
  }
  return text +
         fmt::format("\trule: {}, {}\n\n", Printable(judgement.rule), Printable(judgement.reason));
}

std::string Tags(const Regression& regression, const MailOptions& options,
                 const std::string& message_id) {
  const bool worse = std::any_of(
      regression.metrics.begin(), regression.metrics.end(),
      [](const auto& metric) { return metric.judgement.verdict == Verdict::kRegression; });
  if (!worse || IsNone(regression.state)) return "";
  return Paragraph(
             "If you mend this in a commit of its own, not in a new version of the same "
             "patch, please add these tags:") +
         fmt::format("| Reported-by: {} <{}>\n| Closes: https://lore.kernel.org/r/{}\n\n",
                     Printable(options.bot_name), Printable(options.bot_address), message_id);
}

std::string AgentCommand(const Regression& regression, const std::vector<std::string>& command) {
  std::string text = "\tregress-agent run";
  const auto add = [&](const std::string& part) { text += " \\\n\t  " + part; };
  for (const model::Axis& axis : regression.axes.list()) {
    if (axis.key == "testcase") {
      add("--testcase " + ShellWord(axis.value));
    } else {
      add(fmt::format("--{} {}", IsParameter(axis.key) ? "param" : "axis",
                      ShellWord(axis.key + "=" + axis.value)));
    }
  }
  if (const auto& patch = regression.head.patch) {
    add("--patch-message-id " + ShellWord(patch->message_id));
    add("--patch-base " + ShellWord(patch->base_commit_id));
  } else {
    add("--commit " + ShellWord(regression.head.commit_id));
  }
  add("-- " + (command.empty() ? "WORKLOAD" : ShellLine(command)));
  return text + "\n\n";
}

// The shell takes the tabs off again, so that the lines can be pasted as they stand.
constexpr std::string_view kJobEnd = "JOB";

/// The lines that write the job to `file`; empty when a mail cannot carry it as it is.
std::string JobLines(const std::string& job, std::string_view file) {
  // RFC 5322 2.1.1 allows 998; a tab goes before.
  constexpr std::size_t kMaxLineBytes = 990;
  std::string lines = fmt::format("\tcat >{} <<-'{}'\n", file, kJobEnd);
  std::string_view rest = job;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line == kJobEnd || line.size() > kMaxLineBytes || Printable(line) != line) return "";
    lines += fmt::format("{}{}\n", line.empty() ? "" : "\t", line);
  }
  return lines + fmt::format("\t{}\n", kJobEnd);
}

/// The job without what says which kernel it ran on, and how often.
std::string WithoutCommit(std::string_view job) {
  std::string rest;
  while (!job.empty()) {
    const std::size_t end = std::min(job.find('\n'), job.size());
    const std::string_view line = job.substr(0, end);
    job.remove_prefix(std::min(end + 1, job.size()));
    const bool says_kernel = line.starts_with("commit = ") ||
                             line.starts_with("kernel_describe = ") ||
                             line.starts_with("branch = ") || line.starts_with("runs = ");
    if (!says_kernel) rest += fmt::format("{}\n", line);
  }
  return rest;
}

/// Empty when there is no job that a mail can carry.
std::string JobReproduction(const Regression& regression, const std::string& base_job,
                            const std::string& head_job) {
  const auto lines = [](const std::string& job, std::string_view file) {
    return job.empty() ? "" : JobLines(job, file);
  };
  if (WithoutCommit(head_job) == WithoutCommit(base_job)) {
    const std::string job = lines(head_job, "job.toml");
    if (job.empty()) return "";
    return Paragraph(
               "To reproduce, boot the base and the tested kernel and run this job on each, "
               "several times, on the base with the base's commit:") +
           job +
           "\tregress-agent run --job job.toml\n\tregress-agent run --job job.toml --commit " +
           ShellWord(regression.base.commit_id) + "\n\n";
  }
  const std::string head = lines(head_job, "head.toml");
  if (head.empty()) return "";
  const std::string base = lines(base_job, "base.toml");
  if (base.empty()) {
    return Paragraph(
               "To reproduce, boot the tested kernel and run this job several times. What the base "
               "ran is not recorded as a job:") +
           head + "\tregress-agent run --job head.toml\n\n";
  }
  return Paragraph(
             "To reproduce, boot the base and the tested kernel and run its own job on each, "
             "several "
             "times; the two differ in more than the commit:") +
         head + base +
         "\tregress-agent run --job head.toml\n\tregress-agent run --job base.toml\n\n";
}

std::string Reproduction(const Regression& regression, const model::ComparisonBlock& block) {
  const model::Column nothing;
  const model::Column& base = block.columns.empty() ? nothing : block.columns.front();
  const model::Column& head = block.columns.size() < 2 ? nothing : block.columns.back();
  if (std::string job = JobReproduction(regression, base.job_toml, head.job_toml); !job.empty()) {
    return job;
  }
  const char* intro =
      head.command.empty()
          ? "To reproduce, boot the base and the tested kernel and run the same workload on each, "
            "several times, with its own commit:"
          : "To reproduce, boot the base and the tested kernel and run this on each, several "
            "times, with its own commit:";
  return Paragraph(intro) + AgentCommand(regression, head.command);
}

std::string Links(const Regression& regression, const MailOptions& options) {
  if (options.base_url.empty() || regression.regression_id == 0) return "";
  return fmt::format("All numbers, and every metric that did not change:\n  {}/r/{}\n\n",
                     Printable(options.base_url), regression.regression_id);
}

}  // namespace

std::string MachineLine(const model::MachineFacts& facts) {
  std::string line;
  const auto add = [&](const std::string& part) { line += (line.empty() ? "" : " ") + part; };
  if (facts.cpu_count > 0) add(Counted(static_cast<std::size_t>(facts.cpu_count), "thread"));
  if (facts.socket_count > 0) add(Counted(static_cast<std::size_t>(facts.socket_count), "socket"));
  if (!facts.cpu_model.empty()) add(Printable(facts.cpu_model));
  if (facts.memory_size_bytes > 0) {
    const auto bytes = static_cast<double>(facts.memory_size_bytes);
    add(bytes >= kGibibyte ? fmt::format("with {:.0f}G memory", bytes / kGibibyte)
                           : fmt::format("with {:.0f}M memory", std::ceil(bytes / kMebibyte)));
  }
  return line;
}

std::string MailBody(const Regression& regression, const model::ComparisonBlock& block,
                     const MailOptions& options, const std::string& message_id) {
  const Judgement* now = OtherVerdict(regression, block);
  std::string body = "Hello,\n\n";
  body += Finding(regression, options);
  body += Tested(regression, block);
  body += Since(regression, now);
  body += Setup(regression);
  if (!regression.metrics.empty()) {
    model::RegressionMetric headline = regression.metrics.front();
    body += Numbers(headline, now == nullptr ? "rests on" : "rested on when it was found");
    if (now != nullptr) {
      headline.judgement = *now;
      body += Numbers(headline, "rests on now");
    }
  }
  body += Tags(regression, options, message_id);
  body += "Details are as below:\n" + std::string(98, '-') + ">\n\n";
  body += Reproduction(regression, block);
  body += RenderTable(block, {.short_ids = true, .all_metrics_hint = ""});
  body += Links(regression, options);
  body += Paragraph(
      "These numbers hold for this machine and this configuration; other hardware "
      "and other software may behave differently.");
  return body + "-- \n" + Printable(options.bot_name) + '\n';
}

}  // namespace regressd::report
