#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "absl/status/status.h"

namespace regressd::agent {

/// Writes a C program of `file_count` files with a Makefile into `directory`. Nested macros make
/// each file a hundred functions that the compiler inlines into one, so that a compiler process
/// needs some 55 MB and seconds rather than milliseconds (gcc 12). The program prints
/// ExpectedOutput(). Errors: Unavailable when a file cannot be written.
absl::Status WriteSourceTree(const std::filesystem::path& directory, int file_count);

/// What a rightly compiled program prints.
std::string ExpectedOutput(int file_count);

}  // namespace regressd::agent
