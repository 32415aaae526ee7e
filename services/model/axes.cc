#include "services/model/axes.h"

#include <algorithm>

#include "services/model/metric.h"

namespace regressd::model {
namespace {

void AppendEscaped(std::string_view text, bool is_key, std::string* out) {
  for (const char c : text) {
    if (c == '\n') {
      out->append("\\n");
    } else if (c == '\\' || (is_key && c == '=')) {
      out->push_back('\\');
      out->push_back(c);
    } else {
      out->push_back(c);
    }
  }
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

Axes::Axes(std::vector<Axis> axes) {
  for (Axis& axis : axes) Set(axis.key, axis.value);
}

void Axes::Set(std::string_view key, std::string_view value) {
  for (Axis& axis : list_) {
    if (axis.key == key) {
      axis.value = value;
      return;
    }
  }
  list_.push_back({std::string(key), std::string(value)});
}

std::optional<std::string_view> Axes::Find(std::string_view key) const {
  for (const Axis& axis : list_) {
    if (axis.key == key) return axis.value;
  }
  return std::nullopt;
}

std::string Axes::Canonical() const {
  std::vector<const Axis*> sorted;
  for (const Axis& axis : list_) sorted.push_back(&axis);
  std::sort(sorted.begin(), sorted.end(),
            [](const Axis* a, const Axis* b) { return a->key < b->key; });
  std::string text;
  for (const Axis* axis : sorted) {
    AppendEscaped(axis->key, true, &text);
    text.push_back('=');
    AppendEscaped(axis->value, false, &text);
    text.push_back('\n');
  }
  return text;
}

std::int64_t Axes::Id() const { return Hash63(Canonical()); }

bool Axes::Contains(const Axes& part) const {
  return std::all_of(part.list_.begin(), part.list_.end(),
                     [this](const Axis& axis) { return Find(axis.key) == axis.value; });
}

std::string TboxGroup(std::string_view host_name) {
  std::string group(host_name);
  const auto last_dash = group.rfind('-');
  if (last_dash != std::string::npos && last_dash > 0 && last_dash + 1 < group.size() &&
      std::all_of(group.begin() + static_cast<std::ptrdiff_t>(last_dash) + 1, group.end(), IsDigit)) {
    group.resize(last_dash);
  }
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (group[i] != '-') continue;
    std::size_t end = i + 1;
    while (end < group.size() && IsDigit(group[end])) ++end;
    if (end > i + 1 && end < group.size() && group[end] == '-') {
      group.erase(i, end - i);
      break;
    }
  }
  return group;
}

}  // namespace regressd::model
