#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "services/ctl/app.h"

int main(int argc, char** argv, char** environment) {
  // A reader that goes away (`| head`) is seen by the write that fails.
  ::signal(SIGPIPE, SIG_IGN);
  regressd::ctl::Invocation invocation;
  invocation.arguments.assign(argv + 1, argv + argc);
  for (char** variable = environment; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    invocation.environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  invocation.data_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  invocation.error_is_terminal = ::isatty(STDERR_FILENO) == 1;
  return static_cast<int>(regressd::ctl::RunRegressctl(invocation));
}
