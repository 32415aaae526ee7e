#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "nlohmann/json.hpp"

namespace regressd::support {

/// The folder `name` ("golden", "corpus") of reference data that is kept beside the source tree,
/// in ../shared; the environment's REGRESSD_GOLDEN_DIR, REGRESSD_CORPUS_DIR, ... overrides it.
/// nullopt when it is not there: then skip the test, saying NoSharedData(name). With
/// REGRESSD_REQUIRE_SHARED=1 the running test also fails.
std::optional<std::filesystem::path> SharedDir(const std::string& name);

/// Why a test is skipped, and what to do about it.
std::string NoSharedData(const std::string& name);

/// The whole file, byte for byte. An unreadable file fails the running test and gives "".
std::string ReadFile(const std::filesystem::path& file);

/// The JSON of a file. A file that is none fails the running test and gives null.
nlohmann::json ReadJson(const std::filesystem::path& file);

}  // namespace regressd::support
