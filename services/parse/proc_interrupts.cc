#include <algorithm>

#include "services/parse/proc_tables.h"
#include "services/parse/text.h"

namespace regressd::parse {
namespace {

bool IsDevice(std::string_view id) { return !id.empty() && id[0] >= '0' && id[0] <= '9'; }

/// The words of `text` with `between` in place of the blanks.
void AppendWords(std::string_view text, char between, std::vector<std::string_view>* words,
                 std::string* out) {
  SplitWords(text, words);
  for (std::size_t i = 0; i < words->size(); ++i) {
    if (i > 0) *out += between;
    *out += (*words)[i];
  }
}

}  // namespace

bool InterruptsReader::ReadLine(std::string_view line, std::size_t cpu_count, Line* out) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return false;
  out->id = Trim(line.substr(0, colon));
  out->total = 0;
  std::string_view rest = line.substr(colon + 1);
  // "ERR:" and "MIS:" have one number for all CPUs and no description.
  for (std::size_t i = 0; i < cpu_count; ++i) {
    const std::size_t begin = rest.find_first_not_of(' ');
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(rest.find(' ', begin), rest.size());
    const auto count = ToUnsigned(rest.substr(begin, end - begin));
    if (!count) break;
    out->total += *count;
    rest.remove_prefix(end);
  }
  out->description = Trim(rest);
  return !out->id.empty();
}

void InterruptsReader::Choose(const std::vector<Line>& lines) {
  std::vector<const Line*> devices;
  for (const Line& line : lines) {
    if (IsDevice(line.id)) devices.push_back(&line);
  }
  std::stable_sort(devices.begin(), devices.end(),
                   [](const Line* a, const Line* b) { return a->total > b->total; });
  devices.resize(std::min(devices.size(), kMaxDeviceLines));
  for (const Line* line : devices) chosen_.emplace_back(line->id);
  std::sort(chosen_.begin(), chosen_.end());
  has_chosen_ = true;
}

Problems InterruptsReader::Read(std::string_view text, TakeNumber take) {
  std::string_view line;
  NextLine(&text, &line);
  SplitWords(line, &words_);
  const std::size_t cpu_count = words_.size();
  if (cpu_count == 0 || !words_[0].starts_with("CPU")) {
    return {Error(1, "not_interrupts", "/proc/interrupts has no line of CPUs; it is left out")};
  }
  lines_.clear();
  while (NextLine(&text, &line)) {
    Line entry;
    if (ReadLine(line, cpu_count, &entry)) lines_.push_back(entry);
  }
  if (!has_chosen_) Choose(lines_);
  std::uint64_t other = 0;
  bool has_other = false;
  for (const Line& entry : lines_) {
    const bool device = IsDevice(entry.id);
    if (device && !std::binary_search(chosen_.begin(), chosen_.end(), entry.id)) {
      other += entry.total;
      has_other = true;
      continue;
    }
    name_.assign(entry.id);
    if (!entry.description.empty()) {
      name_ += ':';
      AppendWords(entry.description, device ? '.' : '_', &words_, &name_);
    }
    take(name_, entry.total);
  }
  if (has_other) take("other", other);
  return {};
}

}  // namespace regressd::parse
