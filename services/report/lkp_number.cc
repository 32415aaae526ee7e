#include "services/report/lkp_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "services/report/text.h"

namespace regressd::report {
namespace {

constexpr int kMeanDigits = 4;
constexpr int kChangeDigits = 2;
constexpr int kMaxTieDigits = 14;  // Beyond, LKP's Ruby looks for no near-ties.

/// The exponent of the first significant digit of `value`, which is finite and above 0.
int DecimalExponent(double value) {
  const std::string text = fmt::format("{:.17e}", value);
  return std::atoi(text.c_str() + text.find('e') + 1);
}

/// A value that lies on a decimal tie, or so close that LKP takes it for one.
struct Tie {
  std::int64_t rounded = 0;  ///< The kept digits as one number, rounded half to even.
  bool kept = false;         ///< Rounded towards zero: the last kept digit was even.
};

/// `value` is finite and above 0; `digits` are kept. Unset: far from a tie, or LKP does not look:
/// round correctly.
std::optional<Tie> FindTie(double value, int digits) {
  if (digits < 1 || digits > kMaxTieDigits) return std::nullopt;
  const int exponent = DecimalExponent(value);
  double rest = exponent < 0 ? value * std::pow(10.0, -exponent) : value / std::pow(10.0, exponent);
  if (rest < 1) rest *= 10;
  const int steps = std::abs(exponent) / 16;  // Each step of the scaling may round once more.
  const double window = ((2.0 + steps) * rest + 7.0) * 0x1p-52 * std::pow(10.0, digits - 1);
  std::int64_t kept = 0;
  for (int i = 0; i < digits; ++i) {
    if (i > 0) rest *= 10;
    const double digit = std::trunc(rest);
    rest -= digit;
    if (rest == 0) return std::nullopt;
    kept = kept * 10 + static_cast<std::int64_t>(digit);
  }
  if (std::abs(rest - 0.5) > window) return std::nullopt;
  const bool odd = kept % 2 != 0;
  return Tie{.rounded = kept + (odd ? 1 : 0), .kept = !odd};
}

/// True when the exact decimal value starts with the digits of `kept`, then 4: it lies below the
/// tie.
bool LiesBelow(double value, std::int64_t kept) {
  // 60 digits: far more than the distance of any double to a tie of 14 digits needs.
  std::string exact = fmt::format("{:.60e}", value);
  std::erase(exact, '.');
  return exact.substr(0, exact.find('e')) < fmt::format("{}5", kept);
}

/// "<digits>e+NN" with the point behind the first digit. `digits` is the number of significant
/// ones.
std::string Scientific(std::string mantissa_digits, int exponent, bool keep_zeros) {
  if (!keep_zeros) {
    mantissa_digits.erase(mantissa_digits.find_last_not_of('0') + 1);
  }
  std::string mantissa = mantissa_digits.substr(0, 1);
  if (mantissa_digits.size() > 1) mantissa += "." + mantissa_digits.substr(1);
  return fmt::format("{}e{}{:02}", mantissa, exponent < 0 ? '-' : '+', std::abs(exponent));
}

/// Ruby's `%.<digits>g` of a magnitude of at least 10^digits, where it always is in scientific
/// form.
std::string LargeGeneral(double magnitude, int digits) {
  if (std::isinf(magnitude)) return "Inf";
  const auto tie = FindTie(magnitude, digits);
  if (!tie) return fmt::format("{:.{}g}", magnitude, digits);
  std::string text = fmt::format("{}", tie->rounded);
  int exponent = DecimalExponent(magnitude);
  if (text.size() > static_cast<std::size_t>(digits)) {  // 9.9995 became 10.000.
    text.pop_back();
    ++exponent;
  }
  const bool keep_zeros = digits == kMeanDigits && tie->kept && tie->rounded % 10 == 0 &&
                          magnitude < 1e15 && !LiesBelow(magnitude, tie->rounded);
  return Scientific(std::move(text), exponent, keep_zeros);
}

std::string Signed(double value, std::string magnitude) {
  return (std::signbit(value) ? "-" : "") + std::move(magnitude);
}

std::string WithSign(double value, std::string magnitude) {
  return (std::signbit(value) ? "-" : "+") + std::move(magnitude);
}

std::string FixedMagnitude(double magnitude, int decimals) {
  if (std::isinf(magnitude)) return "Inf";
  if (magnitude > 0) {
    if (const auto tie = FindTie(magnitude, decimals + DecimalExponent(magnitude) + 1)) {
      std::string text = fmt::format("{:0{}}", tie->rounded, decimals + 1);
      if (decimals > 0) text.insert(text.size() - static_cast<std::size_t>(decimals), ".");
      return text;
    }
  }
  return fmt::format("{:.{}f}", magnitude, decimals);
}

}  // namespace

std::string FormatFixed(double value, int decimals) {
  return Signed(value, FixedMagnitude(std::abs(value), decimals));
}

std::string FormatMean(double mean) {
  const double magnitude = std::abs(mean);
  if (magnitude < 1000) return PadLeft(FormatFixed(mean, 2), 10);
  if (magnitude > 1e8) return PadLeft(Signed(mean, LargeGeneral(magnitude, kMeanDigits)), 10);
  return fmt::format("{:10}", static_cast<std::int64_t>(mean));
}

std::string FormatChange(double change, bool absolute) {
  const double magnitude = std::abs(change);
  const std::string text =
      magnitude < 100000 ? FixedMagnitude(magnitude, 1) : LargeGeneral(magnitude, kChangeDigits);
  return PadLeft(WithSign(change, text), 10) + (absolute ? "  " : "% ");
}

std::string FormatStddev(double mean, double population_stddev) {
  const double percent = mean == 0 ? population_stddev : 100 * population_stddev / mean;
  if (!(percent > 2)) return "      ";
  if (std::isinf(percent)) return " ±Inf%";
  return fmt::format(" ±{:3.0f}%", std::trunc(percent));
}

std::string FormatReproduction(double percent) {
  return PadLeft(FormatFixed(percent, 0), 10) + "% ";
}

std::optional<double> LkpMean(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  double sum = 0;
  double lost = 0;
  for (const double value : values) {
    const double next = sum + value;
    if (std::isfinite(next)) {
      lost += std::abs(sum) >= std::abs(value) ? (sum - next) + value : (value - next) + sum;
    }
    sum = next;
  }
  return (sum + lost) / static_cast<double>(values.size());
}

double LkpStddev(std::span<const double> values, double mean) {
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(1.0 / static_cast<double>(values.size()) * squares);
}

}  // namespace regressd::report
