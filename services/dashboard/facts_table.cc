#include "services/dashboard/facts_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "services/dashboard/layout.h"
#include "services/dashboard/pieces.h"
#include "services/report/fact_notes.h"

namespace regressd::dashboard {
namespace {

struct FactRow {
  std::string name;
  std::vector<std::string> values;  ///< One for each column; empty: not known.

  bool differs() const {
    return std::any_of(values.begin(), values.end(),
                       [this](const std::string& value) { return value != values.front(); });
  }
  /// Another kernel is why the columns are compared; a boot has an id of its own.
  bool may_differ() const {
    return name == "Kernel" || name == "Kernel build" || name == "Boot id";
  }
  bool known() const {
    return std::any_of(values.begin(), values.end(),
                       [](const std::string& value) { return !value.empty(); });
  }
};

std::string Positive(std::int64_t number) { return number > 0 ? fmt::format("{}", number) : ""; }

std::string Memory(std::int64_t bytes) {
  if (bytes <= 0) return "";
  return fmt::format("{:.2f} GiB ({} bytes)", static_cast<double>(bytes) / (1 << 30), bytes);
}

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "; ") + line;
  return text;
}

/// Name and value in the order in which people look for them.
std::vector<std::pair<std::string, std::string>> FactsOf(const model::MachineFacts& facts) {
  std::vector<std::pair<std::string, std::string>> list = {
      {"Testbox", facts.testbox},
      {"CPU", facts.cpu_model},
      {"Threads", Positive(facts.cpu_count)},
      {"Sockets", Positive(facts.socket_count)},
      {"Memory", Memory(facts.memory_size_bytes)},
      {"Swap", Joined(facts.swap_devices)},
      {"Microcode", facts.microcode},
      {"Kernel", facts.kernel_release},
      {"Kernel build", facts.kernel_version},
      {"Kernel command line", facts.kernel_cmdline},
      {"Boot id", facts.boot_id},
  };
  for (const auto& [name, value] : facts.settings) list.emplace_back("Setting " + name, value);
  for (const auto& [name, value] : facts.tool_versions) list.emplace_back("Tool " + name, value);
  return list;
}

std::vector<FactRow> RowsOf(const std::vector<FactsColumn>& columns) {
  std::vector<FactRow> rows;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (auto& [name, value] : FactsOf(*columns[i].facts)) {
      auto row = std::find_if(rows.begin(), rows.end(),
                              [&](const FactRow& known) { return known.name == name; });
      if (row == rows.end()) {
        rows.push_back({.name = name, .values = std::vector<std::string>(columns.size())});
        row = rows.end() - 1;
      }
      row->values[i] = std::move(value);
    }
  }
  std::erase_if(rows, [](const FactRow& row) { return !row.known(); });
  std::stable_partition(rows.begin(), rows.end(),
                        [](const FactRow& row) { return row.differs() && !row.may_differ(); });
  return rows;
}

}  // namespace

void SetupNotes(Html& html, const model::ComparisonBlock& block) {
  for (const std::string& line : report::FactNoteLines(block)) {
    html.Element("p", {{"class", "note"}}, line);
  }
}

void FactsTable(Html& html, const std::vector<FactsColumn>& columns) {
  const std::vector<FactRow> rows = RowsOf(columns);
  if (rows.empty()) {
    html.Element("p", {{"class", "quiet"}},
                 "The agent could not find out anything of the machine.");
    return;
  }
  const bool compares = columns.size() > 1;
  Table(html, compares ? "Machine facts, those that differ first" : "Machine facts", [&] {
    html.In("thead", [&] {
      html.In("tr", [&] {
        html.Element("th", {{"scope", "col"}}, "Fact");
        for (const FactsColumn& column : columns)
          html.Element("th", {{"scope", "col"}}, column.name);
        if (compares) html.Element("th", {{"scope", "col"}}, "Same");
      });
    });
    html.In("tbody", [&] {
      for (const FactRow& row : rows) {
        html.In("tr", [&] {
          html.Element("th", {{"scope", "row"}}, row.name);
          for (const std::string& value : row.values) {
            html.Element("td", {{"class", "metric"}}, value.empty() ? "not known" : value);
          }
          if (!compares) return;
          html.In("td", [&] {
            if (row.differs() && row.may_differ()) {
              html.Element("span", {{"class", "quiet"}}, "differs, as expected");
            } else if (row.differs()) {
              html.Element("span", {{"class", "tag other"}}, "differs");
            } else {
              html.Element("span", {{"class", "quiet"}}, "same");
            }
          });
        });
      }
    });
  });
}

}  // namespace regressd::dashboard
