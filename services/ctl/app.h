#pragma once

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "services/ctl/exit_code.h"

namespace regressd::ctl {

/// What the program was started with.
struct Invocation {
  std::vector<std::string> arguments;  ///< Without the program's name.
  std::map<std::string, std::string> environment;
  std::FILE* data = stdout;
  bool data_is_terminal = false;
  bool error_is_terminal = false;
};

/// The whole program: reads the command line, runs the command, says on standard error what went
/// wrong.
ExitCode RunRegressctl(const Invocation& invocation);

}  // namespace regressd::ctl
