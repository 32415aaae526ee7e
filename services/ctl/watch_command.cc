#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "services/ctl/arguments.h"
#include "services/ctl/command.h"
#include "services/ctl/interrupt.h"
#include "services/ctl/regression_client.h"
#include "services/ctl/render_regression.h"
#include "services/report/render_json.h"
#include "services/report/text.h"

namespace regressd::ctl {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstBackOff{500};
constexpr milliseconds kLongestBackOff{30'000};

struct WatchOptions {
  std::optional<std::int64_t> after_event_id;
  bool json = false;
};

// Worth another try: the server is away, draining, or has too many watchers for now.
bool MayPass(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsResourceExhausted(status) ||
         absl::IsDeadlineExceeded(status);
}

// Watches until a signal, a closed output or an error that will not pass.
class Watcher {
 public:
  Watcher(Context& context, const WatchOptions& options)
      : context_(context),
        client_(context.connection, context.skipped),
        json_(options.json),
        last_event_id_(options.after_event_id) {}

  absl::StatusOr<ExitCode> Run() {
    Interrupt interrupt([this] { client_.CancelWatch(); });
    while (true) {
      const absl::Status status = client_.Watch(
          last_event_id_, [this] { Stand(); },
          [this](const model::RegressionEvent& event, const model::Regression& regression) {
            return Take(event, regression);
          });
      if (status.ok()) return ExitCode::kOk;
      // A server that was never reached is more likely misspelled than restarting.
      if (!stood_ || !MayPass(status)) return status;
      Say(context_, fmt::format("the watch broke: {}; trying again",
                                report::OneLine(std::string(status.message()))));
      if (interrupt.WaitFor(back_off_)) return ExitCode::kOk;
      back_off_ = std::min(back_off_ * 2, kLongestBackOff);
    }
  }

 private:
  void Stand() {
    back_off_ = kFirstBackOff;
    if (stood_ && !last_event_id_) {
      Say(context_, "watching again; changes in between are not shown, see regressctl regressions");
    } else {
      Say(context_, stood_ ? "watching again" : "watching; Ctrl-C ends it");
    }
    stood_ = true;
  }

  bool Take(const model::RegressionEvent& event, const model::Regression& regression) {
    last_event_id_ = event.event_id;
    context_.output.Write(json_ ? report::RenderRegressionEventJson(event, regression)
                                : EventLine(event, regression));
    context_.output.Flush();
    return !context_.output.closed();
  }

  Context& context_;
  RegressionClient client_;
  const bool json_;
  std::optional<std::int64_t> last_event_id_;
  bool stood_ = false;
  milliseconds back_off_ = kFirstBackOff;
};

}  // namespace

void AddWatchCommand(Commands& commands) {
  CLI::App* app = commands.app.add_subcommand(
      "watch", "Print every change of a regression as it happens, until Ctrl-C");
  auto options = std::make_shared<WatchOptions>();
  app->add_option("--after", options->after_event_id,
                  "Also the changes after this event, all with 0; without it only new ones")
      ->type_name("EVENT")
      ->check(WholeNumber(0, std::numeric_limits<std::int64_t>::max(), "the number of an event"));
  app->add_flag("--json", options->json, "One JSON object a line");
  commands.work[app] = [options](Context& context) { return Watcher(context, *options).Run(); };
}

}  // namespace regressd::ctl
