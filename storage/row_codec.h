#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "services/model/run.h"

namespace regressd::storage {

/// What columns that are no plain numbers or texts hold. Pure.

/// The jsonb of run.facts and regression.facts: one key a field, under the field's name; empty
/// fields are left out.
std::string FactsToJson(const model::MachineFacts& facts);
struct StoredFacts {
  model::MachineFacts facts;
  std::vector<std::string> unreadable;  ///< Fields that are of the wrong type, and so not in it.
};
/// The inverse, as far as it goes: one odd row must not keep others from being read. Unknown keys
/// are passed over, so that an older binary can read what a newer one wrote.
StoredFacts FactsFromJson(std::string_view json);

/// The jsonb of run.monitor_notes: an object of texts.
std::string NotesToJson(const std::map<std::string, std::string>& notes);
/// The inverse; what is no text is given as its JSON.
std::map<std::string, std::string> NotesFromJson(std::string_view json);

/// A stored integer of sample_row in the metric's unit: of a counter it is the bit pattern of an
/// unsigned total.
double StoredValue(std::int64_t stored, const model::Metric& metric);

}  // namespace regressd::storage
