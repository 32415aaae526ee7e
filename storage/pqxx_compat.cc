#include "storage/pqxx_compat.h"

#include <iterator>

namespace regressd::storage {

namespace internal {

std::string ArrayElement(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted += '"';
}

}  // namespace internal

void Params::Add(std::string_view text) {
  // The protocol's text parameters end at a NUL: the rest would be lost without a word.
  if (text.find('\0') != std::string_view::npos) {
    throw std::invalid_argument("a text has a NUL byte; send text without it");
  }
  values_.emplace_back(std::string(text));
}

pqxx::result ExecParams(pqxx::transaction_base& transaction, const std::string& sql,
                        const Params& params) {
#if PQXX_VERSION_MAJOR >= 7
  pqxx::params wire;
  wire.reserve(params.values().size());
  for (const auto& value : params.values()) {
    if (value) {
      wire.append(*value);
    } else {
      wire.append();
    }
  }
  return transaction.exec(sql, wire);
#else
  std::vector<const char*> wire;
  wire.reserve(params.values().size());
  for (const auto& value : params.values()) wire.push_back(value ? value->c_str() : nullptr);
  return transaction.exec_params(sql, pqxx::prepare::make_dynamic_params(wire));
#endif
}

pqxx::result ExecScript(pqxx::transaction_base& transaction, const std::string& sql) {
  return transaction.exec(sql);
}

std::vector<std::optional<std::string>> SplitArray(std::string_view literal) {
  const auto malformed = [&] {
    return UnreadableValue(fmt::format("holds '{}', which is no one-dimensional array", literal));
  };
  if (literal.size() < 2 || literal.front() != '{' || literal.back() != '}') throw malformed();
  const std::string_view inner = literal.substr(1, literal.size() - 2);
  std::vector<std::optional<std::string>> elements;
  if (inner.empty()) return elements;

  for (std::size_t at = 0;; ++at) {
    std::string element;
    const bool quoted = at < inner.size() && inner[at] == '"';
    if (quoted) {
      for (++at; at < inner.size() && inner[at] != '"'; ++at) {
        if (inner[at] == '\\' && ++at == inner.size()) throw malformed();
        element += inner[at];
      }
      if (at++ >= inner.size()) throw malformed();
    } else {
      while (at < inner.size() && inner[at] != ',') element += inner[at++];
      if (element.empty() || element.find_first_of("{}\"\\") != std::string::npos)
        throw malformed();
    }
    if (!quoted && element == "NULL") {
      elements.emplace_back(std::nullopt);
    } else {
      elements.emplace_back(std::move(element));
    }
    if (at == inner.size()) return elements;
    if (inner[at] != ',') throw malformed();
  }
}

void ForbidReactivation([[maybe_unused]] pqxx::connection& connection) {
#if PQXX_VERSION_MAJOR < 7
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  connection.inhibit_reactivation(true);
#pragma GCC diagnostic pop
#endif
}

}  // namespace regressd::storage
