#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace regressd::testing {

/// A real regressd on free ports, with its log in a file. Stopped, if it still runs, when this goes.
class ServerProcess {
 public:
  /// Starts it with ports, ports file and JSON log in `folder`, and `arguments`.
  ServerProcess(std::filesystem::path folder, const std::vector<std::string>& arguments);
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  /// Waits until it listens or has ended; whether it listens.
  bool AwaitPorts();
  int grpc_port() const { return grpc_port_; }
  int http_port() const { return http_port_; }

  void Signal(int signal) const;
  /// Waits for its end: "exit status 0", "signal 9".
  std::string AwaitEnd();
  std::string Log() const;

 private:
  std::filesystem::path folder_;
  pid_t pid_ = 0;  ///< 0 once reaped.
  int grpc_port_ = 0;
  int http_port_ = 0;
};

}  // namespace regressd::testing
