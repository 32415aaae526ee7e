#include "services/regressd/logging.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>
#include <spdlog/formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <chrono>
#include <memory>

#include "fmt/chrono.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"

namespace regressd {
namespace {

std::string LevelName(spdlog::level::level_enum level) {
  const auto name = spdlog::level::to_string_view(level);
  return {name.data(), name.size()};
}

class JsonFormatter : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    const auto whole = std::chrono::time_point_cast<std::chrono::seconds>(message.time);
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(message.time - whole);
    const std::string line =
        JsonLine(
            fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z",
                        fmt::gmtime(std::chrono::system_clock::to_time_t(whole)), micros.count()),
            LevelName(message.level), std::string(message.payload.data(), message.payload.size())) +
        "\n";
    out.append(line.data(), line.data() + line.size());
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<JsonFormatter>();
  }
};

void LogForGrpc(gpr_log_func_args* args) {
  const auto level = args->severity == GPR_LOG_SEVERITY_ERROR  ? spdlog::level::err
                     : args->severity == GPR_LOG_SEVERITY_INFO ? spdlog::level::info
                                                               : spdlog::level::debug;
  spdlog::log(level, "grpc: {}", args->message);
}

// What it calls an error is mostly a message that a client got wrong, and that client hears of it.
void LogForProtobuf(google::protobuf::LogLevel level, const char* file, int line,
                    const std::string& message) {
  const auto ours = level == google::protobuf::LOGLEVEL_INFO    ? spdlog::level::info
                    : level == google::protobuf::LOGLEVEL_FATAL ? spdlog::level::critical
                                                                : spdlog::level::warn;
  spdlog::log(ours, "protobuf: {} ({}:{})", message, file, line);
}

}  // namespace

std::string JsonLine(const std::string& time, const std::string& level,
                     const std::string& message) {
  nlohmann::ordered_json line;
  line["time"] = time;
  line["level"] = level;
  line["message"] = message;
  return line.dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
}

void SetUpLogging(const std::string& level, const std::string& format) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const bool json = format == "json" || (format == "auto" && !terminal);
  spdlog::sink_ptr sink;
  if (terminal && !json) {
    sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  } else {
    sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  }
  auto logger = std::make_shared<spdlog::logger>("regressd", std::move(sink));
  if (json) {
    logger->set_formatter(std::make_unique<JsonFormatter>());
  } else {
    logger->set_pattern("%Y-%m-%d %H:%M:%S.%e %^%l%$ %v");
  }
  logger->set_level(spdlog::level::from_str(level));
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
  gpr_set_log_function(&LogForGrpc);
  google::protobuf::SetLogHandler(&LogForProtobuf);
}

}  // namespace regressd
