#include "services/parse/perf_stat_fields.h"

#include <algorithm>
#include <array>
#include <string>

#include "services/parse/text.h"

namespace regressd::parse {
namespace {

constexpr std::string_view kNotCounted = "<not counted>";
constexpr std::string_view kNotSupported = "<not supported>";
constexpr std::int64_t kMostCpus = 1'000'000;

// A number in C's form or with a decimal comma; then `*decimal_comma` turns true.
std::optional<double> Number(std::string_view field, bool* decimal_comma = nullptr) {
  const std::size_t comma = field.find(',');
  if (comma == std::string_view::npos) return ToDouble(field);
  std::array<char, 64> copy;
  if (field.size() > copy.size()) return std::nullopt;
  std::copy(field.begin(), field.end(), copy.begin());
  copy[comma] = '.';
  const std::optional<double> number = ToDouble({copy.data(), field.size()});
  if (number && decimal_comma != nullptr) *decimal_comma = true;
  return number;
}

bool AllDigits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool HasDecimalPoint(std::string_view field) {
  return field.find('.') != std::string_view::npos && ToDouble(field).has_value();
}

// Reads fields one after another.
class FieldCursor {
 public:
  FieldCursor(const std::vector<std::string_view>& fields, CsvContext* context)
      : fields_(fields), context_(context) {}

  std::size_t left() const { return fields_.size() - next_; }
  std::string_view Peek(std::size_t ahead = 0) const {
    return next_ + ahead < fields_.size() ? fields_[next_ + ahead] : std::string_view();
  }
  std::string_view Take() { return fields_[next_++]; }
  std::optional<double> TakeNumber() { return Number(Take(), &context_->decimal_comma); }

 private:
  const std::vector<std::string_view>& fields_;
  CsvContext* context_;
  std::size_t next_ = 0;
};

void ReadTime(FieldCursor* cursor, PerfStatRow* row) {
  if (cursor->Peek() == "summary") {
    row->summary = true;
    cursor->Take();
    return;
  }
  // A value is followed by its unit, a time by a value or by an aggregate and its value.
  const bool value_follows = IsPerfValue(cursor->Peek(1));
  const bool aggregate_follows = !cursor->Peek(1).empty() && IsPerfValue(cursor->Peek(2)) &&
                                 !AggregateKind(cursor->Peek(1)).empty();
  if (Number(cursor->Peek()) && (value_follows || aggregate_follows)) {
    row->time_s = cursor->TakeNumber();
  }
}

void ReadAggregate(FieldCursor* cursor, PerfStatRow* row) {
  if (cursor->Peek().empty() || IsPerfValue(cursor->Peek()) || !IsPerfValue(cursor->Peek(1))) {
    return;
  }
  PerfAggregate aggregate;
  aggregate.id = std::string(cursor->Take());
  aggregate.kind = std::string(AggregateKind(aggregate.id));
  const std::optional<std::int64_t> cpus = ToInt(cursor->Peek());
  if (IsPerfValue(cursor->Peek(1)) && cpus && *cpus >= 0 && *cpus <= kMostCpus) {
    aggregate.cpu_count = static_cast<int>(*cpus);
    cursor->Take();
  }
  row->aggregate = std::move(aggregate);
}

// perf does not quote: "cpu/event=0x3c,umask=0x1/" is one event in three fields.
void ReadEvent(FieldCursor* cursor, char separator, PerfStatRow* row) {
  row->event = std::string(cursor->Take());
  while (std::count(row->event.begin(), row->event.end(), '/') == 1 && cursor->left() > 0) {
    row->event += separator;
    row->event += cursor->Take();
  }
}

// What stands between the event and its run time: a cgroup, a variance, or nothing.
void ReadInserts(FieldCursor* cursor, PerfStatRow* row) {
  while (cursor->left() > 0 && !AllDigits(cursor->Peek())) {
    std::string_view field = cursor->Peek();
    if (field.ends_with('%')) {
      field.remove_suffix(1);
      const std::optional<double> percent = Number(field);
      if (percent) row->variance_percent = percent;
    } else {
      row->cgroup = std::string(field);
    }
    cursor->Take();
  }
}

// All empty up to a metric and its unit: perf puts a second metric of an event on a line of its
// own.
bool IsMetricLine(const std::vector<std::string_view>& fields, std::size_t begin) {
  const std::size_t size = fields.size();
  if (size < begin + 4 || !ToDouble(fields[size - 2]) || fields[size - 1].empty()) return false;
  return std::all_of(fields.begin() + static_cast<std::ptrdiff_t>(begin), fields.end() - 2,
                     [](std::string_view field) { return field.empty(); });
}

bool ReadTail(FieldCursor* cursor, PerfStatRow* row) {
  const std::size_t count = cursor->left();
  if (count != 2 && count != 4 && !(count == 3 && cursor->Peek(2).empty())) return false;
  row->run_ns = ToInt(cursor->Take());
  row->percent_running = cursor->TakeNumber();
  if (!row->run_ns || !row->percent_running) return false;
  if (count < 4 || (cursor->Peek().empty() && cursor->Peek(1).empty())) return true;
  const std::optional<double> metric = cursor->TakeNumber();
  if (metric && !cursor->Peek().empty()) {
    row->derived = PerfDerived{.value = *metric, .unit = std::string(cursor->Take())};
  }
  return true;
}

}  // namespace

bool IsPerfValue(std::string_view field) {
  return field == kNotCounted || field == kNotSupported || Number(field).has_value();
}

bool ReadPerfCount(std::string_view field, PerfStatRow* row) {
  row->value = Number(field);
  if (field == kNotCounted) row->status = PerfCount::kNotCounted;
  if (field == kNotSupported) row->status = PerfCount::kNotSupported;
  return row->value || row->status != PerfCount::kCounted;
}

std::string_view AggregateKind(std::string_view id) {
  // By the last part: S0-D0-C1 is a core of die 0 of socket 0. "usemem-4021" is a thread.
  const std::size_t dash = id.rfind('-');
  const std::string_view last = dash == std::string_view::npos ? id : id.substr(dash + 1);
  const std::size_t digits = last.find_first_of("0123456789");
  if (digits == std::string_view::npos || !AllDigits(last.substr(digits))) return "";
  const std::string_view letters = last.substr(0, digits);
  if (letters == "CPU") return "cpu";
  if (letters == "C") return "core";
  if (letters == "D") return "die";
  if (letters == "CLS") return "cluster";
  if (letters == "L") return "cache";
  if (letters == "S") return "socket";
  if (letters == "N") return "node";
  return letters.empty() && dash != std::string_view::npos && dash > 0 ? "thread" : "";
}

CsvOutcome ReadCsvFields(const std::vector<std::string_view>& fields, CsvContext* context,
                         PerfStatRow* row) {
  FieldCursor cursor(fields, context);
  // Its first field is a time with -I and empty without.
  if (IsMetricLine(fields, 1)) {
    row->time_s = ToDouble(fields.front());
    row->derived = PerfDerived{.value = *ToDouble(fields[fields.size() - 2]),
                               .unit = std::string(fields.back())};
    return CsvOutcome::kMetric;
  }
  ReadTime(&cursor, row);
  ReadAggregate(&cursor, row);
  if (cursor.left() < 3) return CsvOutcome::kMisfit;
  std::string_view count = cursor.Take();
  const std::size_t comma = count.find(',');
  if (!ReadPerfCount(count, row)) return CsvOutcome::kMisfit;
  if (comma != std::string_view::npos) context->decimal_comma = true;
  row->unit = std::string(cursor.Take());
  ReadEvent(&cursor, context->separator, row);
  const bool event_is_number = ToDouble(row->event).has_value();
  ReadInserts(&cursor, row);
  const std::size_t tail = cursor.left();
  if (!event_is_number && !row->event.empty() && ReadTail(&cursor, row)) {
    return CsvOutcome::kRow;
  }
  const bool too_many = tail == 3 || tail > 4 || event_is_number;
  // One locale prints all numbers of a row: a decimal point says that the row is only damaged.
  const bool has_point = std::any_of(fields.begin(), fields.end(), HasDecimalPoint);
  return context->separator == ',' && too_many && !has_point ? CsvOutcome::kSplitByDecimalComma
                                                             : CsvOutcome::kMisfit;
}

}  // namespace regressd::parse
