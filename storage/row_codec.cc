#include "storage/row_codec.h"

#include <nlohmann/json.hpp>

namespace regressd::storage {
namespace {

using nlohmann::json;

void PutText(const char* key, const std::string& value, json* object) {
  if (!value.empty()) (*object)[key] = value;
}

template <typename Number>
void PutNumber(const char* key, Number value, json* object) {
  if (value != 0) (*object)[key] = value;
}

template <typename Container>
void PutAll(const char* key, const Container& values, json* object) {
  if (!values.empty()) (*object)[key] = values;
}

template <typename Value>
void Take(const json& object, const char* key, StoredFacts* stored, Value* out) {
  const auto found = object.find(key);
  if (found == object.end()) return;
  try {
    *out = found->get<Value>();
  } catch (const json::exception&) {
    stored->unreadable.emplace_back(key);
  }
}

// Machines may report bytes that are no UTF-8; they are replaced, for jsonb takes none.
std::string Dump(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::string FactsToJson(const model::MachineFacts& facts) {
  json object = json::object();
  PutText("testbox", facts.testbox, &object);
  PutText("boot_id", facts.boot_id, &object);
  PutText("kernel_release", facts.kernel_release, &object);
  PutText("kernel_version", facts.kernel_version, &object);
  PutText("kernel_cmdline", facts.kernel_cmdline, &object);
  PutText("cpu_model", facts.cpu_model, &object);
  PutNumber("socket_count", facts.socket_count, &object);
  PutNumber("cpu_count", facts.cpu_count, &object);
  PutNumber("memory_size_bytes", facts.memory_size_bytes, &object);
  PutText("microcode", facts.microcode, &object);
  PutAll("swap_devices", facts.swap_devices, &object);
  PutAll("tool_versions", facts.tool_versions, &object);
  PutAll("settings", facts.settings, &object);
  return Dump(object);
}

StoredFacts FactsFromJson(std::string_view text) {
  StoredFacts stored;
  const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) {
    stored.unreadable.emplace_back("all of them");
    return stored;
  }
  model::MachineFacts& facts = stored.facts;
  Take(object, "testbox", &stored, &facts.testbox);
  Take(object, "boot_id", &stored, &facts.boot_id);
  Take(object, "kernel_release", &stored, &facts.kernel_release);
  Take(object, "kernel_version", &stored, &facts.kernel_version);
  Take(object, "kernel_cmdline", &stored, &facts.kernel_cmdline);
  Take(object, "cpu_model", &stored, &facts.cpu_model);
  Take(object, "socket_count", &stored, &facts.socket_count);
  Take(object, "cpu_count", &stored, &facts.cpu_count);
  Take(object, "memory_size_bytes", &stored, &facts.memory_size_bytes);
  Take(object, "microcode", &stored, &facts.microcode);
  Take(object, "swap_devices", &stored, &facts.swap_devices);
  Take(object, "tool_versions", &stored, &facts.tool_versions);
  Take(object, "settings", &stored, &facts.settings);
  return stored;
}

std::string NotesToJson(const std::map<std::string, std::string>& notes) {
  return Dump(json(notes));
}

std::map<std::string, std::string> NotesFromJson(std::string_view text) {
  const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return {{"monitor notes", std::string(text)}};
  std::map<std::string, std::string> notes;
  for (const auto& [name, note] : object.items()) {
    notes[name] = note.is_string() ? note.get<std::string>() : Dump(note);
  }
  return notes;
}

double StoredValue(std::int64_t stored, const model::Metric& metric) {
  const double number = metric.kind == model::MetricKind::kCounter
                            ? static_cast<double>(static_cast<std::uint64_t>(stored))
                            : static_cast<double>(stored);
  return number * metric.scale;
}

}  // namespace regressd::storage
