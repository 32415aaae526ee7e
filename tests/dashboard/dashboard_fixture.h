#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "services/auth/authorizer.h"
#include "services/dashboard/pages.h"
#include "services/http/server.h"
#include "services/query/comparer.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_store.h"

namespace regressd::test {

/// An authorizer that a test can close.
class SwitchAuthorizer : public auth::Authorizer {
 public:
  absl::StatusOr<auth::Caller> Authorize(std::string_view method,
                                         const auth::Credentials& credentials) const override;
  void Close() { open_ = false; }

 private:
  bool open_ = true;
};

struct RunDraft {
  int number = 1;  ///< Each number gives another UUID.
  model::Commit commit;
  model::Axes axes{
      {{"testcase", "vm-scalability"}, {"tbox_group", "lkp-hsw-ep2"}, {"nr_task", "8"}}};
  std::vector<std::pair<model::Metric, double>> values;
  std::function<void(model::RunSpec&)> edit = [](model::RunSpec&) {};
  model::RunOutcome outcome;
};

struct Answer {
  int status = 0;
  std::string headers;
  std::string body;
};

std::string UuidOf(int number);
model::Metric MetricNamed(std::string name, model::Better better = model::Better::kNeither,
                          std::string unit = "");

/// The pages on a real port, over stores in memory.
class DashboardTest : public testing::Test {
 protected:
  DashboardTest();

  Answer Get(const std::string& target, const std::string& accept = "text/html");

  /// Stores the run and ends it; the clock goes on by a second.
  void AddRun(const RunDraft& draft);
  /// Three runs of each of two commits, "base" and "head", of which the head is 10 % slower.
  void AddSlowHead();
  /// Stores a regression between two commits that have runs; its metrics are judged as the worker
  /// would. Returns its id.
  std::int64_t AddRegression(const std::string& base, const std::string& head,
                             const std::string& title);

  ManualClock clock_;
  MemoryStore store_{clock_};
  SwitchAuthorizer authorizer_;
  query::Comparer comparer_{store_, store_};
  dashboard::Pages pages_{comparer_, store_, store_, store_, authorizer_};
  http::HttpServer server_;
};

}  // namespace regressd::test
