#include "services/report/time_text.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <string_view>

namespace regressd::report {
namespace {

// Not the locale's: headers of mails are English.
constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

struct Parts {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  std::string_view day_name;
  std::string_view month_name;
  std::string clock;  ///< "12:05:03".
  long long microseconds = 0;
};

Parts PartsOf(model::Time time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  Parts parts;
  parts.year = static_cast<int>(date.year());
  parts.month = static_cast<unsigned>(date.month());
  parts.day = static_cast<unsigned>(date.day());
  parts.day_name = kDays[std::chrono::weekday(day).c_encoding()];
  parts.month_name = kMonths[parts.month - 1];
  parts.clock = fmt::format("{:02}:{:02}:{:02}", clock.hours().count(), clock.minutes().count(),
                            clock.seconds().count());
  parts.microseconds = clock.subseconds().count();
  return parts;
}

}  // namespace

std::string Rfc3339(model::Time time) {
  const Parts p = PartsOf(time);
  const std::string fraction = p.microseconds == 0 ? "" : fmt::format(".{:06}", p.microseconds);
  return fmt::format("{:04}-{:02}-{:02}T{}{}Z", p.year, p.month, p.day, p.clock, fraction);
}

std::string ReadableTime(model::Time time) {
  const Parts p = PartsOf(time);
  return fmt::format("{:04}-{:02}-{:02} {} UTC", p.year, p.month, p.day, p.clock);
}

std::string Rfc5322Date(model::Time time) {
  const Parts p = PartsOf(time);
  return fmt::format("{}, {} {} {} {} +0000", p.day_name, p.day, p.month_name, p.year, p.clock);
}

std::string AsctimeDate(model::Time time) {
  const Parts p = PartsOf(time);
  return fmt::format("{} {} {:2} {} {}", p.day_name, p.month_name, p.day, p.clock, p.year);
}

}  // namespace regressd::report
