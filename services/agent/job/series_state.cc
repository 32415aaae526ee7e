#include "services/agent/job/series_state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "services/agent/read_file.h"
#include "services/agent/setup/machine.h"
#include "services/agent/unique_fd.h"
#include "services/model/metric.h"

namespace regressd::agent {
namespace {

using nlohmann::json;

std::string IdOf(const std::string& plan_text) {
  return fmt::format("{:016x}", model::Hash63(plan_text));
}

json ToJson(const DoneStep& step) {
  return {{"label", step.label},
          {"run", step.run_uuid},
          {"exit_code", step.exit_code},
          {"values", step.values}};
}

/// All of it or nothing: the old file stays until the new one is on the disk.
absl::Status Replace(const std::filesystem::path& file, const std::string& text) {
  const std::filesystem::path draft = file.string() + ".new";
  const UniqueFd out(open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!out.valid()) return SystemFailure("write", draft, errno);
  const ssize_t written = write(out.get(), text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size())) {
    return SystemFailure("write", draft, written < 0 ? errno : ENOSPC);
  }
  if (fsync(out.get()) != 0) return SystemFailure("write", draft, errno);
  if (std::rename(draft.c_str(), file.c_str()) != 0) return SystemFailure("replace", file, errno);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SeriesState> SeriesState::Open(const std::filesystem::path& file,
                                              const std::string& plan_text, bool restart) {
  SeriesState state(file);
  if (absl::Status status = state.Lock(); !status.ok()) return status;
  state.plan_id_ = IdOf(plan_text);
  if (restart && unlink(file.c_str()) != 0 && errno != ENOENT) {
    return SystemFailure("remove", file, errno);
  }
  const std::optional<std::string> text = ReadFile(file);
  // Written at once, so that a place that cannot be written to costs no run.
  if (!text && errno == ENOENT) {
    if (absl::Status status = state.Save(); !status.ok()) return status;
    return state;
  }
  if (!text) {
    return absl::UnavailableError(
        fmt::format("cannot read {}: {}", file.string(), std::strerror(errno)));
  }
  if (absl::Status status = state.Load(*text); !status.ok()) return status;
  if (state.plan_id_ == IdOf(plan_text)) return state;
  return absl::FailedPreconditionError(
      fmt::format("{} is of another plan, or of this one before it was changed, with {} runs done; "
                  "begin anew with --restart, or name another file with --state",
                  file.string(), state.done_.size()));
}

// A file of its own: the state's is replaced at each step, and a lock would stay with the old one.
absl::Status SeriesState::Lock() {
  const std::filesystem::path path = file_.string() + ".lock";
  lock_ = UniqueFd(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  if (!lock_.valid()) return SystemFailure("write", path, errno);
  if (flock(lock_.get(), LOCK_EX | LOCK_NB) == 0) return absl::OkStatus();
  return absl::AbortedError(
      fmt::format("another series goes on with {} now; wait for its end, or name another file with "
                  "--state",
                  file_.string()));
}

absl::Status SeriesState::Load(const std::string& text) try {
  const json state = json::parse(text);
  plan_id_ = state.at("plan").get<std::string>();
  for (const json& step : state.at("done")) {
    done_.push_back({.label = step.at("label").get<std::string>(),
                     .run_uuid = step.at("run").get<std::string>(),
                     .exit_code = step.at("exit_code").get<int>(),
                     .values = step.at("values").get<std::map<std::string, double>>()});
  }
  for (const json& entry : state.at("warm")) {
    warm_[entry.at("job").get<std::size_t>()] = entry.at("boot_id").get<std::string>();
  }
  asked_kernel_ = state.at("asked_kernel").get<std::string>();
  asked_boot_id_ = state.at("asked_boot_id").get<std::string>();
  return absl::OkStatus();
} catch (const json::exception& e) {
  return absl::DataLossError(fmt::format(
      "{} is no state of a series ({}); begin anew with --restart", file_.string(), e.what()));
}

absl::Status SeriesState::Save() const {
  json state = {{"plan", plan_id_},
                {"done", json::array()},
                {"warm", json::array()},
                {"asked_kernel", asked_kernel_},
                {"asked_boot_id", asked_boot_id_}};
  for (const DoneStep& step : done_) state["done"].push_back(ToJson(step));
  for (const auto& [job, boot_id] : warm_) {
    state["warm"].push_back({{"job", job}, {"boot_id", boot_id}});
  }
  return Replace(file_, state.dump(1) + '\n');
}

absl::Status SeriesState::AddDone(DoneStep step) {
  done_.push_back(std::move(step));
  asked_kernel_.clear();
  asked_boot_id_.clear();
  return Save();
}

bool SeriesState::IsWarm(std::size_t job, const std::string& boot_id) const {
  const auto found = warm_.find(job);
  return found != warm_.end() && found->second == boot_id;
}

absl::Status SeriesState::SetWarm(std::size_t job, const std::string& boot_id) {
  warm_[job] = boot_id;
  return Save();
}

absl::Status SeriesState::SetAsked(std::string kernel, std::string boot_id) {
  asked_kernel_ = std::move(kernel);
  asked_boot_id_ = std::move(boot_id);
  return Save();
}

}  // namespace regressd::agent
