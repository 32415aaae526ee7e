#include "services/analysis/welch.h"

#include <boost/math/policies/policy.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

namespace regressd::analysis {
namespace {

namespace policies = boost::math::policies;
// Nothing throws, and nothing is computed in long double: results are the same on every machine.
using Quiet = policies::policy<policies::domain_error<policies::ignore_error>,
                               policies::pole_error<policies::ignore_error>,
                               policies::overflow_error<policies::ignore_error>,
                               policies::underflow_error<policies::ignore_error>,
                               policies::evaluation_error<policies::ignore_error>,
                               policies::promote_float<false>, policies::promote_double<false>>;

}  // namespace

double TwoSidedStudentTail(double t, double degrees_of_freedom) {
  const double ratio = t * t / degrees_of_freedom;
  if (!std::isfinite(ratio)) return 0;
  // Near t = 0 the complement is the small number, and keeps its digits.
  if (ratio < 1) {
    return 1 - boost::math::ibeta(0.5, degrees_of_freedom / 2, ratio / (1 + ratio), Quiet());
  }
  return boost::math::ibeta(degrees_of_freedom / 2, 0.5, 1 / (1 + ratio), Quiet());
}

std::optional<TTestResult> WelchTest(const Moments& base, const Moments& head) {
  if (base.count < 2 || head.count < 2) return std::nullopt;
  const auto base_count = static_cast<double>(base.count);
  const auto head_count = static_cast<double>(head.count);
  const double base_error = base.sample_stddev / std::sqrt(base_count);
  const double head_error = head.sample_stddev / std::sqrt(head_count);
  const double error = std::hypot(base_error, head_error);
  if (!(error > 0)) return std::nullopt;
  // Shares of the whole error: squares of small numbers would underflow.
  const double base_share = base_error / error;
  const double head_share = head_error / error;
  TTestResult result;
  result.t_statistic = (head.mean - base.mean) / error;
  result.degrees_of_freedom =
      1 / (std::pow(base_share, 4) / (base_count - 1) + std::pow(head_share, 4) / (head_count - 1));
  result.p_value = TwoSidedStudentTail(result.t_statistic, result.degrees_of_freedom);
  return result;
}

std::optional<TTestResult> PooledTTest(const Moments& base, const Moments& head) {
  if (base.count < 2 || head.count < 2) return std::nullopt;
  const auto base_count = static_cast<double>(base.count);
  const auto head_count = static_cast<double>(head.count);
  TTestResult result;
  result.degrees_of_freedom = base_count + head_count - 2;
  const double pooled_stddev =
      std::hypot(base.sample_stddev * std::sqrt((base_count - 1) / result.degrees_of_freedom),
                 head.sample_stddev * std::sqrt((head_count - 1) / result.degrees_of_freedom));
  if (!(pooled_stddev > 0)) return std::nullopt;
  result.t_statistic =
      (head.mean - base.mean) / (pooled_stddev * std::sqrt(1 / base_count + 1 / head_count));
  result.p_value = TwoSidedStudentTail(result.t_statistic, result.degrees_of_freedom);
  return result;
}

std::optional<TTestResult> CautiousTTest(const Moments& base, const Moments& head) {
  const auto welch = WelchTest(base, head);
  if (base.count == head.count) return welch;
  const auto pooled = PooledTTest(base, head);
  return welch && pooled && pooled->p_value > welch->p_value ? pooled : welch;
}

}  // namespace regressd::analysis
