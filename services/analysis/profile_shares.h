#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "services/model/metric.h"

namespace regressd::analysis {

/// A share of a profile's samples, in percent with two decimals.
struct ProfileShare {
  model::Metric metric;
  double percent = 0;
};

/// The shares of one event's profile under LKP's names:
/// * perf-profile.self.EVENT.F: samples taken in function F itself;
/// * perf-profile.children.EVENT.F: samples with F anywhere in their stack, each once;
/// * perf-profile.calltrace.EVENT.F.G...: samples whose stack holds this chain, F called by G and
///   so on, for each F with up to four callers.
/// Functions are named by model::FunctionName. A share below 0.05 % is none, as in LKP.
///
/// Memory is bounded: functions and chains beyond a large number, in the order of adding, have no
/// share; so add the most frequent stacks first. One thread.
class ProfileShares {
 public:
  struct Limits {
    std::size_t function_count = 100'000;
    std::size_t chain_count = 1'000'000;
  };

  ProfileShares() = default;
  explicit ProfileShares(const Limits& limits) : limits_(limits) {}

  /// A folded stack "comm;root;...;leaf", a part of it being blank at most, and how many samples
  /// had it: at least 1. One of the task alone counts as a sample without functions.
  void Add(std::string_view folded, double sample_count);

  double sample_count() const { return sample_count_; }
  /// Some function or chain came when the limit was reached.
  bool reached_limit() const { return reached_limit_; }

  /// In the order of the names; none of a name beyond the 512 bytes that metrics have. `event` as
  /// LKP writes it: "cycles-pp", "cpu-clock".
  std::vector<ProfileShare> Shares(std::string_view event) const;

 private:
  static constexpr std::size_t kMaxFrames = 5;
  using FunctionId = std::uint32_t;                  // 0 stands for none.
  using Chain = std::array<FunctionId, kMaxFrames>;  // Callee first; 0 behind the last.
  struct ChainHash {
    std::size_t operator()(const Chain& chain) const;
  };
  struct Function {
    std::string name;
    double self_count = 0;
    double children_count = 0;
    std::uint64_t last_stack = 0;  // Counts a function once in a stack that holds it twice.
  };
  struct ChainCount {
    double count = 0;
    std::uint64_t last_stack = 0;
  };

  FunctionId IdOf(std::string_view frame);
  void CountChain(const Chain& chain, double sample_count);

  Limits limits_;
  std::unordered_map<std::string, FunctionId> ids_;
  std::vector<Function> functions_;  // By id - 1.
  std::unordered_map<Chain, ChainCount, ChainHash> chains_;
  std::vector<FunctionId> frames_;  // Of the stack that is added, root first.
  double sample_count_ = 0;
  std::uint64_t stack_number_ = 0;
  bool reached_limit_ = false;
};

}  // namespace regressd::analysis
