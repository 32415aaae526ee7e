#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

namespace regressd::analysis {

/// Seeded noise for simulations. Written out, as the standard's distributions differ from library
/// to library. Every kind has mean 0 and variance 1 (Poisson counts: variance lambda).
class Noise {
 public:
  enum class Kind { kNormal, kHeavyTails, kSkewed, kOutliers, kBimodal };
  static constexpr int kKindCount = 5;

  explicit Noise(std::uint64_t seed) : random_(seed) {}

  /// Above 0, below 1.
  double Uniform() { return (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53; }

  /// Box and Muller's transform.
  double Normal() {
    return std::sqrt(-2 * std::log(Uniform())) * std::cos(2 * std::numbers::pi * Uniform());
  }

  /// The kinds of detection.md (c): N(0,1); t3/sqrt(3); standardised lognormal with sigma 0.6; N
  /// plus 3 % outliers of 6 to 15 sigma; 30/70 bimodal (1.5/-0.64, sd 0.4).
  double Draw(Kind kind) {
    switch (kind) {
      case Kind::kNormal:
        return Normal();
      case Kind::kHeavyTails: {
        const double chi = Square(Normal()) + Square(Normal()) + Square(Normal());
        return Normal() / std::sqrt(chi / 3) / std::sqrt(3);
      }
      case Kind::kSkewed: {
        const double e = std::exp(0.36);
        return (std::exp(0.6 * Normal()) - std::sqrt(e)) / std::sqrt((e - 1) * e);
      }
      case Kind::kOutliers: {
        const double plain = Normal();
        return Uniform() < 0.03 ? plain + (Uniform() < 0.5 ? -1 : 1) * (6 + 9 * Uniform()) : plain;
      }
      case Kind::kBimodal:
        return (Uniform() < 0.3 ? 1.5 : -0.64) + 0.4 * Normal();
    }
    return 0;
  }

  /// A Poisson count, by Knuth's product.
  double Poisson(double lambda) {
    const double limit = std::exp(-lambda);
    double product = Uniform();
    int count = 0;
    for (; product > limit; ++count) product *= Uniform();
    return count;
  }

  std::uint64_t Bits() { return random_(); }

 private:
  static double Square(double x) { return x * x; }

  std::mt19937_64 random_;
};

}  // namespace regressd::analysis
