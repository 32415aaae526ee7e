#include "services/report/lkp_rows.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace regressd::report {
namespace {

constexpr int kFunctionalFirst = -10000;

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// "<stem>.error", with anything but an underscore behind it.
bool EndsInFailureWord(std::string_view name) {
  const std::size_t tail = name.find_last_of('_');
  for (const std::string_view word : {".error", ".warn", ".fail"}) {
    const std::size_t at = name.rfind(word);
    if (at != std::string_view::npos && at > 0 && (tail == std::string_view::npos || tail < at)) {
      return true;
    }
  }
  return false;
}

/// "<suite>.<something>..._hotplug" and the like: a dot, at least one character, then `word`.
bool IsSuiteWith(std::string_view name, std::string_view suite, std::string_view word) {
  return name.starts_with(suite) && name.find(word, suite.size() + 1) != std::string_view::npos;
}

/// Rows of a profile share a key, so that their changes order them.
std::string_view KeyOf(std::string_view name) {
  if (FamilyOf(name) != "perf-profile") return name;
  const std::size_t first = name.find('.');
  if (first == std::string_view::npos) return name;
  return name.substr(0, name.find('.', first + 1));
}

}  // namespace

bool IsFunctional(std::string_view name) {
  if (Contains(name, ".time.") || Contains(name, ".timestamp:") || Contains(name, ".bootstage:")) {
    return false;
  }
  for (const std::string_view prefix : {"dmesg", "kmsg", "last_state", "stderr"}) {
    if (name.starts_with(prefix)) return true;
  }
  if (name.find("killed_by", 1) != std::string_view::npos) return true;
  if (EndsInFailureWord(name)) return true;
  if (name.size() > 5 && name.ends_with(".pass")) return true;
  if (IsSuiteWith(name, "xfstests.", "fail") && name.ends_with("fail")) return true;
  return IsSuiteWith(name, "kmemleak.", "unreferenced_object.") ||
         IsSuiteWith(name, "locktoture.", "lock_hotplug") ||
         IsSuiteWith(name, "rcutoture.", "rcu_hotplug");
}

bool HasAbsoluteChange(std::string_view name) {
  return name.starts_with("perf-profile") || name.ends_with('%');
}

std::string_view FamilyOf(std::string_view name) { return name.substr(0, name.find('.')); }

bool IsResultOf(std::string_view testcase, std::string_view name) {
  return !testcase.empty() && name.size() > testcase.size() + 1 && name.starts_with(testcase) &&
         name[testcase.size()] == '.' && !Contains(name, ".time.");
}

void SortRows(const std::set<std::string, std::less<>>& test_families,
              std::vector<OrderedRow>* rows) {
  std::map<std::string_view, int> ranks;
  for (const OrderedRow& row : *rows) {
    const auto [rank, first] = ranks.try_emplace(FamilyOf(row.name), 0);
    if (first && row.functional) rank->second = kFunctionalFirst;
    ++rank->second;
  }
  for (auto& [family, rank] : ranks) {
    if (rank > 0 && test_families.contains(family)) rank = 0;
  }
  std::sort(rows->begin(), rows->end(), [&](const OrderedRow& a, const OrderedRow& b) {
    if (a.functional != b.functional) return a.functional;
    const auto key = [&](const OrderedRow& row) {
      return std::make_pair(ranks.at(FamilyOf(row.name)), KeyOf(row.name));
    };
    if (key(a) != key(b)) return key(a) < key(b);
    return std::tie(a.changes, a.name) < std::tie(b.changes, b.name);
  });
}

}  // namespace regressd::report
