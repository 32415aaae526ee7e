#include "services/model/metric.h"

#include <openssl/sha.h>

#include <array>

#include "services/model/names.h"

namespace regressd::model {
namespace {

constexpr Names<MetricKind, 4> kKinds{{
    {MetricKind::kGauge, "gauge"},
    {MetricKind::kCounter, "counter"},
    {MetricKind::kDelta, "delta"},
    {MetricKind::kRatio, "ratio"},
}};
constexpr Names<Better, 3> kBetters{{
    {Better::kHigher, "higher"},
    {Better::kLower, "lower"},
    {Better::kNeither, "neither"},
}};
constexpr Names<Reduction, 4> kReductions{{
    {Reduction::kMean, "mean"},
    {Reduction::kDelta, "delta"},
    {Reduction::kSum, "sum"},
    {Reduction::kMax, "max"},
}};

}  // namespace

std::string_view ToString(MetricKind kind) { return NameOf(kKinds, kind); }
std::string_view ToString(Better better) { return NameOf(kBetters, better); }
std::string_view ToString(Reduction reduction) { return NameOf(kReductions, reduction); }
bool FromString(std::string_view text, MetricKind* out) { return ValueOf(kKinds, text, out); }
bool FromString(std::string_view text, Better* out) { return ValueOf(kBetters, text, out); }
bool FromString(std::string_view text, Reduction* out) { return ValueOf(kReductions, text, out); }

std::int64_t Hash63(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::uint64_t head = 0;
  for (std::size_t i = 0; i < 8; ++i) head = head << 8 | digest[i];
  return static_cast<std::int64_t>(head >> 1);
}

std::int64_t MetricId(std::string_view name) { return Hash63(name); }

}  // namespace regressd::model
