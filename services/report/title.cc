#include <fmt/format.h>

#include <cmath>

#include "services/report/lkp_number.h"
#include "services/report/render_mail.h"
#include "services/report/text.h"

namespace regressd::report {
namespace {

using model::Verdict;

std::string_view NounOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kRegression:
      return "regression";
    case Verdict::kImprovement:
      return "improvement";
    case Verdict::kMixed:
      return "mixed change";
    default:
      return "change";
  }
}

/// "-9.8%"; small changes keep two digits that say something.
std::string Percent(double percent, bool with_sign) {
  const double magnitude = std::abs(percent);
  const std::string number = magnitude >= 0.1 || magnitude == 0 ? FormatFixed(magnitude, 1)
                                                                : fmt::format("{:.2g}", magnitude);
  const char* sign = percent < 0 ? "-" : "+";
  return fmt::format("{}{}%", with_sign ? sign : "", number);
}

}  // namespace

std::string CompactNumber(double value) {
  const std::string field = FormatMean(value);
  return field.substr(field.find_first_not_of(' '));
}

std::string Title(const model::RegressionMetric& headline) {
  const model::Judgement& judgement = headline.judgement;
  const std::string name = Printable(headline.metric.name);
  const std::string_view noun = NounOf(judgement.verdict);
  if (judgement.relative_change && std::isfinite(*judgement.relative_change)) {
    // An improvement has no sign: whether less or more is better would have to be known to read it.
    const bool with_sign = judgement.verdict != Verdict::kImprovement;
    return fmt::format("{} {} of {}", Percent(100 * *judgement.relative_change, with_sign), noun,
                       name);
  }
  if (judgement.base.run_count > 0 && judgement.head.run_count > 0) {
    return fmt::format("{} of {} from {} to {}", noun, name, CompactNumber(judgement.base.mean),
                       CompactNumber(judgement.head.mean));
  }
  return fmt::format("{} of {}", noun, name);
}

}  // namespace regressd::report
