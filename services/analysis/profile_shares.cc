#include "services/analysis/profile_shares.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "services/model/catalog.h"
#include "services/model/profile_name.h"

namespace regressd::analysis {
namespace {

constexpr double kLeastPercent = 0.05;
constexpr std::size_t kMaxNameBytes = 512;

std::string_view WithoutBlanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::size_t ProfileShares::ChainHash::operator()(const Chain& chain) const {
  std::uint64_t hash = 0;
  for (const FunctionId id : chain) {
    hash = (hash ^ id) * 0x9E3779B97F4A7C15;  // 2^64 / the golden ratio, as Fibonacci hashing has.
    hash ^= hash >> 29;
  }
  return hash;
}

ProfileShares::FunctionId ProfileShares::IdOf(std::string_view frame) {
  const std::string_view name = model::FunctionName(WithoutBlanks(frame));
  if (name.empty() || name.size() > kMaxNameBytes) return 0;
  std::string key(name);
  if (const auto known = ids_.find(key); known != ids_.end()) return known->second;
  if (functions_.size() >= limits_.function_count) {
    reached_limit_ = true;
    return 0;
  }
  functions_.push_back({.name = key});
  const auto id = static_cast<FunctionId>(functions_.size());
  ids_.emplace(std::move(key), id);
  return id;
}

void ProfileShares::Add(std::string_view folded, double sample_count) {
  sample_count_ += sample_count;
  ++stack_number_;
  frames_.clear();
  for (std::size_t end = folded.find(';'); end != folded.npos;) {
    folded.remove_prefix(end + 1);
    end = folded.find(';');
    frames_.push_back(IdOf(folded.substr(0, end)));
  }
  if (!frames_.empty() && frames_.back() != 0) {
    functions_[frames_.back() - 1].self_count += sample_count;
  }
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    if (frames_[i] == 0) continue;
    Function& function = functions_[frames_[i] - 1];
    if (std::exchange(function.last_stack, stack_number_) != stack_number_) {
      function.children_count += sample_count;
    }
    Chain chain{};
    const std::size_t length = std::min(i + 1, kMaxFrames);
    for (std::size_t k = 0; k < length; ++k) chain[k] = frames_[i - k];
    // A function without a name would leave a hole in the chain.
    if (std::count(chain.begin(), chain.end(), 0U) == std::ptrdiff_t(kMaxFrames - length)) {
      CountChain(chain, sample_count);
    }
  }
}

void ProfileShares::CountChain(const Chain& chain, double sample_count) {
  auto found = chains_.find(chain);
  if (found == chains_.end()) {
    if (chains_.size() >= limits_.chain_count) {
      reached_limit_ = true;
      return;
    }
    found = chains_.emplace(chain, ChainCount{}).first;
  }
  if (std::exchange(found->second.last_stack, stack_number_) != stack_number_) {
    found->second.count += sample_count;
  }
}

std::vector<ProfileShare> ProfileShares::Shares(std::string_view event) const {
  // Chains of a.b and of a, b have one name, and one row.
  std::map<std::string, double> counts;
  const double least = sample_count_ * kLeastPercent / 200;  // Spares making names of the rare.
  const auto count = [&](std::string_view what, const std::string& of, double sample_count) {
    if (sample_count < least) return;
    std::string name("perf-profile.");
    name.append(what).append(".").append(event).append(of);
    if (name.size() <= kMaxNameBytes) counts[std::move(name)] += sample_count;
  };
  for (const Function& function : functions_) {
    const std::string name = "." + function.name;
    count("self", name, function.self_count);
    count("children", name, function.children_count);
  }
  for (const auto& [chain, counted] : chains_) {
    if (counted.count < least) continue;
    std::string name;
    for (const FunctionId id : chain) {
      if (id != 0) name.append(".").append(functions_[id - 1].name);
    }
    count("calltrace", name, counted.count);
  }
  std::vector<ProfileShare> shares;
  for (const auto& [name, sample_count] : counts) {
    const double percent = std::round(sample_count / sample_count_ * 1e4) / 1e2;
    if (percent >= kLeastPercent) {
      shares.push_back({.metric = model::Declare(name), .percent = percent});
    }
  }
  return shares;
}

}  // namespace regressd::analysis
