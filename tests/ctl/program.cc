#include "tests/ctl/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace regressd::test {
namespace {

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& text : strings) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::string ReadFile(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace

Program::Program(const std::vector<std::string>& arguments, const Variables& environment) {
  Variables variables = {{"PATH", std::getenv("PATH")}, {"HOME", directory_.path()}};
  for (const auto& [name, value] : environment) variables[name] = value;
  std::vector<std::string> lines;
  for (const auto& [name, value] : variables) lines.push_back(name + "=" + value);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const std::string out = directory_.path() / "out";
  const std::string error = directory_.path() / "error";
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), kFlags, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, error.c_str(), kFlags, 0600);
  const int failure = posix_spawnp(&pid_, arguments[0].c_str(), &actions, nullptr,
                                   Pointers(arguments).data(), Pointers(lines).data());
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(failure, 0) << arguments[0];
  if (failure != 0) pid_ = -1;
}

Program::~Program() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::string Program::Out() const { return ReadFile(directory_.path() / "out"); }

std::string Program::Error() const { return ReadFile(directory_.path() / "error"); }

void Program::Signal(int number) const {
  if (pid_ > 0) kill(pid_, number);
}

Ran Program::Wait() {
  int state = 0;
  if (pid_ > 0) waitpid(pid_, &state, 0);
  pid_ = -1;
  return {.code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state),
          .out = Out(),
          .error = Error()};
}

Ran RunProgram(const std::vector<std::string>& arguments, const Program::Variables& environment) {
  return Program(arguments, environment).Wait();
}

Ran Regressctl(const std::string& server, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {RegressctlPath(), "--server", server});
  return RunProgram(arguments);
}

std::string RegressctlPath() { return REGRESSCTL_PATH; }

}  // namespace regressd::test
