#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace regressd::model {

/// What the numbers of a metric are.
enum class MetricKind {
  kGauge,    ///< A level.
  kCounter,  ///< A running total, reset by a reboot; unsigned 64 bit.
  kDelta,    ///< The count of one interval.
  kRatio,    ///< A share or quotient.
};

/// Which direction is good. Said here and nowhere else.
enum class Better { kHigher, kLower, kNeither };

/// How the samples of one run become its one run value.
enum class Reduction {
  kMean,   ///< Arithmetic mean.
  kDelta,  ///< Last minus first of a running total, over resets.
  kSum,    ///< Sum.
  kMax,    ///< Largest.
};

/// A metric as a run declares it.
struct Metric {
  std::string name;  ///< LKP's name, at most 512 bytes, no control characters.
  std::string unit;  ///< "KiB/s", "pages", "us"; empty for plain counts.
  MetricKind kind = MetricKind::kGauge;
  Better better = Better::kNeither;
  Reduction reduction = Reduction::kMean;
  double scale = 1;  ///< Value = stored integer * scale; 1 for doubles.

  friend bool operator==(const Metric&, const Metric&) = default;
};

/// Text forms as stored in the database and shown to people: "counter", "higher", "delta".
std::string_view ToString(MetricKind kind);
std::string_view ToString(Better better);
std::string_view ToString(Reduction reduction);

/// The inverse. False when `text` is none of them; then `*out` is left alone.
bool FromString(std::string_view text, MetricKind* out);
bool FromString(std::string_view text, Better* out);
bool FromString(std::string_view text, Reduction* out);

/// A name's id in every table: the first 63 bits of its SHA-256. Never 0 in practice, never negative.
std::int64_t MetricId(std::string_view name);

/// The first 63 bits of the SHA-256 of `text`, big-endian. Stable for ever: stored ids depend on it.
std::int64_t Hash63(std::string_view text);

}  // namespace regressd::model
