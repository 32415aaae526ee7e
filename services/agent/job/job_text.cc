#include <fmt/format.h>

#include <cstdint>

#include "services/agent/job/job_file.h"

namespace regressd::agent {
namespace {

/// A basic string of TOML 1.0.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format("\\u{:04x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string KeyText(std::string_view key) {
  constexpr std::string_view kBare =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  const bool bare = !key.empty() && key.find_first_not_of(kBare) == std::string_view::npos;
  return bare ? std::string(key) : Quoted(key);
}

/// The lines of one table; nothing when it has none.
class TableText {
 public:
  explicit TableText(std::string header) : header_(std::move(header)) {}

  void Add(std::string_view key, const std::string& text) {
    if (!text.empty()) Line(key, Quoted(text));
  }
  void Add(std::string_view key, const std::optional<std::int64_t>& number) {
    if (number) Line(key, std::to_string(*number));
  }
  void Add(std::string_view key, const std::optional<double>& number) {
    if (!number) return;
    // The shortest text that reads back to the same number; a dot tells it from a whole number.
    std::string text = fmt::format("{}", *number);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    Line(key, text);
  }
  void Add(std::string_view key, const std::optional<bool>& flag) {
    if (flag) Line(key, *flag ? "true" : "false");
  }
  void AddList(std::string_view key, const std::vector<std::string>& list) {
    std::string text;
    for (const std::string& item : list) text += (text.empty() ? "" : ", ") + Quoted(item);
    Line(key, "[" + text + "]");
  }
  void Line(std::string_view key, const std::string& value) {
    lines_ += fmt::format("{} = {}\n", KeyText(key), value);
  }

  std::string Done() const {
    if (lines_.empty()) return "";
    return header_.empty() ? lines_ : fmt::format("\n[{}]\n{}", header_, lines_);
  }

 private:
  std::string header_;
  std::string lines_;
};

template <typename Pair>
std::string PairsText(std::string header, const std::vector<Pair>& pairs) {
  TableText table(std::move(header));
  for (const Pair& pair : pairs) table.Line(pair.key, Quoted(pair.value));
  return table.Done();
}

std::string TopText(const Job& job) {
  TableText top("");
  top.Add("testcase", job.testcase);
  top.Add("commit", job.commit);
  top.Add("kernel_describe", job.kernel_describe);
  top.Add("branch", job.branch);
  top.Add("expect_kernel", job.expect_kernel);
  if (!job.command.empty()) top.AddList("command", job.command);
  top.Add("reader", job.reader);
  if (!job.result_files.empty()) top.AddList("result_files", job.result_files);
  top.Add("runs", job.runs);
  top.Add("warm_up_runs", job.warm_up_runs);
  top.Add("timeout_s", job.timeout_s);
  top.Add("duration_s", job.duration_s);
  if (job.monitors) top.AddList("monitors", *job.monitors);
  top.Add("interval_ms", job.interval_ms);
  if (!job.perf_events.empty()) top.AddList("perf_events", job.perf_events);
  top.Add("profile_frequency_hz", job.profile_frequency_hz);
  top.Add("profile_window_s", job.profile_window_s);
  top.Add("profile_event", job.profile_event);
  return top.Done();
}

std::string PatchText(const JobPatch& patch) {
  TableText table("patch");
  table.Add("message_id", patch.message_id);
  table.Add("base", patch.base);
  table.Add("number", patch.number);
  table.Add("version", patch.version);
  table.Add("subject", patch.subject);
  table.Add("author", patch.author);
  return table.Done();
}

std::string SetupText(const JobSetup& setup) {
  TableText table("setup");
  table.Add("memcg", setup.memcg);
  table.Add("swap", setup.swap);
  table.Add("swap_dir", setup.swap_directory);
  table.Add("drop_caches", setup.drop_caches);
  table.Add("settings_are_axes", setup.settings_are_axes);
  return table.Done() + PairsText("setup.set", setup.settings);
}

}  // namespace

std::string JobText(const Job& job) {
  return TopText(job) + PatchText(job.patch) + PairsText("params", job.params) +
         PairsText("axes", job.axes) + SetupText(job.setup);
}

}  // namespace regressd::agent
