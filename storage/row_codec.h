#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "services/model/run.h"

namespace regressd::storage {

/// What columns that are no plain numbers or texts hold. Pure.

/// The jsonb of run.facts and regression.facts: one key a field, under the field's name; empty
/// fields are left out.
std::string FactsToJson(const model::MachineFacts& facts);
/// The inverse; unknown keys are passed over, so that an older binary can read what a newer one
/// wrote. Errors: DataLoss when `json` is no object or a field has the wrong type.
absl::StatusOr<model::MachineFacts> FactsFromJson(std::string_view json);

/// The jsonb of run.monitor_notes: an object of texts.
std::string NotesToJson(const std::map<std::string, std::string>& notes);
absl::StatusOr<std::map<std::string, std::string>> NotesFromJson(std::string_view json);

/// A stored integer of sample_row in the metric's unit: of a counter it is the bit pattern of an
/// unsigned total.
double StoredValue(std::int64_t stored, const model::Metric& metric);

}  // namespace regressd::storage
