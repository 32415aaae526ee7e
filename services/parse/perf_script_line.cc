#include "services/parse/perf_script_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "services/parse/text.h"

namespace regressd::parse {
namespace {

using Words = std::vector<std::string_view>;

bool AllOf(std::string_view text, std::string_view allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

bool IsDigits(std::string_view text) { return AllOf(text, "0123456789"); }

bool IsHex(std::string_view text) { return AllOf(text, "0123456789abcdef"); }

// "965.694001:"; six or, with --ns, nine decimals.
std::optional<std::chrono::nanoseconds> ToTime(std::string_view word) {
  if (!word.ends_with(':')) return std::nullopt;
  word.remove_suffix(1);
  const std::size_t dot = word.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view decimals = word.substr(dot + 1);
  if ((decimals.size() != 6 && decimals.size() != 9) || !IsDigits(decimals)) return std::nullopt;
  const std::optional<std::int64_t> seconds = ToInt(word.substr(0, dot));
  const std::optional<std::int64_t> fraction = ToInt(decimals);
  // Past 292 years of nanoseconds the sum would overflow.
  if (!seconds || *seconds < 0 || *seconds > 9'000'000'000) return std::nullopt;
  return std::chrono::seconds(*seconds) +
         std::chrono::nanoseconds(decimals.size() == 6 ? *fraction * 1000 : *fraction);
}

// "[003]".
std::optional<int> ToCpu(std::string_view word) {
  if (word.size() < 3 || word.front() != '[' || word.back() != ']') return std::nullopt;
  const std::optional<std::int64_t> cpu = ToInt(word.substr(1, word.size() - 2));
  if (!cpu || *cpu < 0 || *cpu > 1'000'000) return std::nullopt;
  return static_cast<int>(*cpu);
}

// "21332" or "4021/4030".
bool ReadTask(std::string_view word, PerfScriptSample* sample) {
  const std::size_t slash = word.find('/');
  if (slash != std::string_view::npos) {
    if (!IsDigits(word.substr(0, slash))) return false;
    sample->pid = ToInt(word.substr(0, slash));
    word.remove_prefix(slash + 1);
  }
  const std::optional<std::int64_t> tid = IsDigits(word) ? ToInt(word) : std::nullopt;
  sample->tid = tid.value_or(0);
  return tid.has_value();
}

// Words[end - 1] downwards: [cpu], task, and all before it the comm.
bool ReadTaskAndComm(std::string_view line, const Words& words, std::size_t end,
                     PerfScriptSample* sample) {
  if (end > 1) sample->cpu = ToCpu(words[end - 1]);
  if (sample->cpu) --end;
  if (end == 0 || !ReadTask(words[end - 1], sample)) {
    sample->cpu.reset();
    sample->pid.reset();
    return false;
  }
  const auto before = static_cast<std::size_t>(words[end - 1].data() - line.data());
  sample->comm = std::string(Trim(line.substr(0, before)));
  // perf itself prints ":tid" for a task whose name it does not know.
  if (sample->comm.empty()) sample->comm = fmt::format(":{}", sample->tid);
  return true;
}

// The event and what follows it, from words[begin] on, with or without a period before it.
bool ReadEvent(std::string_view line, const Words& words, std::size_t begin,
               PerfScriptSample* sample, std::string_view* payload) {
  if (begin < words.size() && IsDigits(words[begin])) sample->period = ToUnsigned(words[begin++]);
  if (begin >= words.size()) return false;
  std::string_view event = words[begin];
  if (event.size() < 2 || !event.ends_with(':')) return false;
  const char* end = event.data() + event.size();
  *payload = Trim(line.substr(static_cast<std::size_t>(end - line.data())));
  event.remove_suffix(1);
  sample->event = std::string(event);
  return true;
}

// Without a time: "comm tid [cpu] period event:", found by the first word that can be the event.
bool ReadTimeless(std::string_view line, const Words& words, PerfScriptSample* sample,
                  std::string_view* payload) {
  for (std::size_t k = 1; k < words.size(); ++k) {
    if (words[k].size() < 2 || !words[k].ends_with(':')) continue;
    const bool has_period = k >= 3 && IsDigits(words[k - 1]) &&
                            (IsDigits(words[k - 2]) || ToCpu(words[k - 2]).has_value());
    const std::size_t begin = has_period ? k - 1 : k;
    if (ReadTaskAndComm(line, words, begin, sample)) {
      return ReadEvent(line, words, begin, sample, payload);
    }
  }
  return false;
}

}  // namespace

bool ParsePerfHeader(std::string_view line, PerfScriptSample* sample, std::string_view* payload) {
  if (line.find(':') == std::string_view::npos) return false;
  Words words;
  SplitWords(line, &words);
  for (std::size_t k = 1; k < words.size(); ++k) {
    sample->time = ToTime(words[k]);
    if (sample->time && ReadTaskAndComm(line, words, k, sample)) {
      return ReadEvent(line, words, k + 1, sample, payload);
    }
  }
  sample->time.reset();
  // A frame whose symbol holds a colon: "7f12 std::vector<int>::at(...) (/usr/bin/x)".
  PerfFrameText frame;
  const bool indented = line.front() == ' ';
  if (indented && ParsePerfFrame(Trim(line), &frame) && frame.has_address) return false;
  return ReadTimeless(line, words, sample, payload);
}

bool ParsePerfFrame(std::string_view text, PerfFrameText* frame) {
  *frame = {};
  const std::size_t blank = text.find(' ');
  if (blank != std::string_view::npos && IsHex(text.substr(0, blank))) {
    frame->has_address = true;
    text = Trim(text.substr(blank));
  }
  if (text.ends_with(')')) {
    int depth = 0;
    std::size_t open = text.size();
    do {
      --open;
      if (text[open] == ')') ++depth;
      if (text[open] == '(') --depth;
    } while (depth > 0 && open > 0);
    if (depth == 0) {
      frame->dso = text.substr(open + 1, text.size() - open - 2);
      frame->inlined = frame->dso == "inlined";
      text = Trim(text.substr(0, open));
    }
  }
  const std::size_t offset = text.rfind("+0x");
  if (offset != std::string_view::npos && IsHex(text.substr(offset + 3))) {
    text = text.substr(0, offset);
  }
  frame->symbol = text;
  return !text.empty() && (frame->has_address || !frame->dso.empty());
}

std::string FrameName(const PerfFrameText& frame) {
  constexpr std::string_view kUnknown = "[unknown]";
  constexpr std::string_view kDeleted = " (deleted)";
  if (frame.symbol != kUnknown || frame.dso.empty() || frame.dso == kUnknown) {
    return std::string(frame.symbol);
  }
  std::string_view file = frame.dso;
  if (file.ends_with(kDeleted)) file.remove_suffix(kDeleted.size());
  if (file.starts_with('[')) return std::string(file);  // "[kernel.kallsyms]", "[vdso]"
  file = file.substr(file.rfind('/') + 1);
  return fmt::format("[{}]", file);
}

}  // namespace regressd::parse
