#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace regressd::test {

struct Ran {
  int code = -1;  ///< Exit status; 128 + n when signal n ended it.
  std::string out;
  std::string error;
};

/// A program that runs, its output going to files. The test fails when it cannot be started.
class Program {
 public:
  using Variables = std::map<std::string, std::string>;

  /// `arguments[0]` is looked for in PATH. The environment is PATH, HOME (empty) and `environment`.
  Program(const std::vector<std::string>& arguments, const Variables& environment);
  /// Kills it if it still runs.
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// What it has written so far.
  std::string Out() const;
  std::string Error() const;
  void Signal(int number) const;
  /// Waits for its end.
  Ran Wait();

 private:
  testing::TemporaryDirectory directory_;
  pid_t pid_ = -1;
};

/// Runs a program to its end.
Ran RunProgram(const std::vector<std::string>& arguments,
               const Program::Variables& environment = {});

/// Runs regressctl to its end, against `server`.
Ran Regressctl(const std::string& server, std::vector<std::string> arguments);

/// The binary of this build.
std::string RegressctlPath();

}  // namespace regressd::test
