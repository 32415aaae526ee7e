#include "tests/support/shared_data.h"

#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace regressd::support {
namespace {

std::string VariableOf(const std::string& name) {
  std::string variable = "REGRESSD_";
  for (const char c : name) {
    variable.push_back(static_cast<char>(std::toupper(static_cast<unsigned char>(c))));
  }
  return variable + "_DIR";
}

std::filesystem::path Place(const std::string& name) {
  if (const char* set = std::getenv(VariableOf(name).c_str()); set != nullptr && *set != '\0') {
    return set;
  }
  return std::filesystem::path(REGRESSD_SOURCE_DIR).parent_path() / "shared" / name;
}

bool IsRequired() {
  const char* required = std::getenv("REGRESSD_REQUIRE_SHARED");
  return required != nullptr && std::string(required) == "1";
}

}  // namespace

std::optional<std::filesystem::path> SharedDir(const std::string& name) {
  std::filesystem::path place = Place(name);
  std::error_code ignored;
  if (std::filesystem::is_directory(place, ignored)) return place;
  if (IsRequired()) {
    ADD_FAILURE() << "REGRESSD_REQUIRE_SHARED=1, but " << NoSharedData(name);
  }
  return std::nullopt;
}

std::string NoSharedData(const std::string& name) {
  return "there is no folder " + Place(name).string() + "; set " + VariableOf(name) +
         " to where it is";
}

std::string ReadFile(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    ADD_FAILURE() << "cannot read " << file;
    return "";
  }
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

nlohmann::json ReadJson(const std::filesystem::path& file) {
  nlohmann::json json = nlohmann::json::parse(ReadFile(file), nullptr, false);
  if (json.is_discarded()) {
    ADD_FAILURE() << file << " is no JSON";
    return nullptr;
  }
  return json;
}

}  // namespace regressd::support
