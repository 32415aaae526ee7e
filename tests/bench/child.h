#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace regressd::bench {

/// A program that the benchmark started. Killed and reaped when it goes out of scope.
class Child {
 public:
  /// Starts `arguments[0]` with the environment of this process and `environment` ("NAME=value")
  /// over it, no signal held back, and in the cgroup of directory `cgroup` unless that is empty.
  /// What it says goes to the end of `output_file`.
  static absl::StatusOr<Child> Start(const std::vector<std::string>& arguments,
                                     const std::vector<std::string>& environment,
                                     const std::string& output_file,
                                     const std::string& cgroup = {});

  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();

  pid_t pid() const { return pid_; }
  bool running();

  struct Exit {
    int status = 0;  ///< As of waitpid.
    rusage usage{};  ///< Of the child and of its own reaped children.
  };
  /// Waits for its end.
  Exit Wait();
  /// SIGTERM, then waits.
  Exit Stop();

 private:
  explicit Child(pid_t pid) : pid_(pid) {}
  pid_t pid_ = 0;
};

}  // namespace regressd::bench
