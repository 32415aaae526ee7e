#include "storage/reduced_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <utility>

#include "services/model/profile_name.h"

namespace regressd::storage {
namespace {

constexpr char kNoteName[] = "run values";
// A note is read by people, and clients take 64 KiB.
constexpr std::size_t kMaxNotes = 20;

}  // namespace

void ReducedValues::Add(std::int32_t source_id, std::string_view source_name,
                        const model::Metric& metric, double value, std::int64_t sample_count) {
  const std::string origin = fmt::format("source {} ({})", source_id, source_name);
  if (!std::isfinite(value)) {
    Note(
        fmt::format("{} of {} has no run value, since its {} is beyond the range of a double; its "
                    "samples are kept",
                    metric.name, origin, model::ToString(metric.reduction)));
    return;
  }
  const auto [first, is_first] = origins_.try_emplace(metric.name, origin);
  if (is_first) {
    values_.try_emplace(metric.name, ReducedValue{metric, value, sample_count});
    return;
  }
  Note(
      fmt::format("{} came from {} and from {}; the run value is that of the former, the samples "
                  "of both are kept",
                  metric.name, first->second, origin));
}

void ReducedValues::AddProfile(std::int32_t source_id, std::string_view source_name,
                               const model::Metric& declared,
                               const analysis::ProfileShares& profile) {
  const std::string_view event = model::ProfileEvent(declared.name);
  for (const analysis::ProfileShare& share : profile.Shares(event)) {
    Add(source_id, source_name, share.metric, share.percent,
        static_cast<std::int64_t>(profile.sample_count()));
  }
  if (!profile.reached_limit()) return;
  Note(
      fmt::format("the profile of {} of source {} ({}) has more functions or call chains than are "
                  "counted; what only its rarest stacks have has no share",
                  event, source_id, source_name));
}

void ReducedValues::Note(std::string text) {
  ++note_count_;
  if (notes_.size() < kMaxNotes) notes_.push_back(std::move(text));
}

model::RunOutcome ReducedValues::WithNotes(model::RunOutcome outcome) const {
  if (notes_.empty()) return outcome;
  std::string text = fmt::format("{}", fmt::join(notes_, "; "));
  if (note_count_ > notes_.size()) {
    text += fmt::format("; and {} metrics more", note_count_ - notes_.size());
  }
  std::string& note = outcome.monitor_notes[kNoteName];
  note = note.empty() ? std::move(text) : note + "; " + text;
  return outcome;
}

}  // namespace regressd::storage
