#include "services/regressd/settings.h"

#include <array>
#include <cctype>

#include "fmt/format.h"

namespace regressd {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

constexpr std::array kSettings = {
    Setting{.name = "grpc.listen",
            .default_text = "127.0.0.1:7878",
            .help = "Address for agents and clients; port 0 takes any free one."},
    Setting{.name = "grpc.reflection",
            .type = SettingType::kBool,
            .default_text = "true",
            .help = "Let clients such as grpcurl ask which methods there are."},
    Setting{.name = "http.listen",
            .default_text = "127.0.0.1:7879",
            .help = "Address for pages, /metrics and /healthz; port 0 takes any free one."},
    Setting{.name = "database.url",
            .default_text = "",
            .help = "PostgreSQL to use, postgresql://user@host:5432/dbname; empty: run a private "
                    "one in data_dir. "
                    "DATABASE_URL is understood too.",
            .secret = true},
    Setting{.name = "database.connections",
            .type = SettingType::kInteger,
            .default_text = "8",
            .help = "Most connections for queries; each committer has one more.",
            .min = 2,
            .max = 200},
    Setting{.name = "data_dir",
            .default_text = "",
            .help = "Where the private PostgreSQL lives. Default: /var/lib/regressd for root, else "
                    "$XDG_DATA_HOME/regressd or ~/.local/share/regressd."},
    Setting{.name = "postgres.bin_dir",
            .default_text = "",
            .help = "Where the programs postgres and initdb are; empty: /usr/lib/postgresql/*/bin, "
                    "then PATH."},
    Setting{.name = "postgres.user",
            .default_text = "postgres",
            .help = "Whom the private PostgreSQL runs as when regressd is root."},
    Setting{.name = "ingest.committers",
            .type = SettingType::kInteger,
            .default_text = "2",
            .help = "Threads that write samples, each with a connection.",
            .min = 1,
            .max = 16},
    Setting{.name = "ingest.queue_size_bytes",
            .type = SettingType::kInteger,
            .default_text = "67108864",
            .help = "Samples that may wait to be written; beyond it agents are slowed down.",
            .min = kMiB,
            .max = 16384 * kMiB},
    Setting{.name = "detect.poll_interval_ms",
            .type = SettingType::kInteger,
            .default_text = "1000",
            .help = "How often to look for runs to judge.",
            .min = 10,
            .max = 3600000},
    Setting{.name = "report.bot_name", .default_text = "regressd", .help = "Who signs reports."},
    Setting{.name = "report.bot_address",
            .default_text = "regressd@localhost",
            .help = "The sender's mail address in reports."},
    Setting{.name = "report.base_url",
            .default_text = "",
            .help =
                "Where the pages are for readers of reports, https://regressd.example.org; empty: "
                "http:// and http.listen."},
    Setting{.name = "log.level",
            .type = SettingType::kChoice,
            .default_text = "info",
            .help = "The least important messages to log.",
            .choices = "debug|info|warning|error"},
    Setting{
        .name = "log.format",
        .type = SettingType::kChoice,
        .default_text = "auto",
        .help = "auto: text on a terminal, else a JSON object a line. Logs go to standard error.",
        .choices = "auto|text|json"},
    Setting{.name = "drain_timeout_s",
            .type = SettingType::kInteger,
            .default_text = "20",
            .help = "Longest wait for calls and streams to end after SIGTERM.",
            .min = 0,
            .max = 3600},
};

std::string Spelled(std::string_view prefix, std::string_view name, char separator, bool upper) {
  std::string spelled(prefix);
  for (const char c : name) {
    if (c == '.' || c == '_') {
      spelled += separator;
    } else {
      spelled += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    }
  }
  return spelled;
}

std::string Placeholder(const Setting& setting) {
  switch (setting.type) {
    case SettingType::kText:
      return "TEXT";
    case SettingType::kInteger:
      return fmt::format("{}..{}", setting.min, setting.max);
    case SettingType::kBool:
      return "true|false";
    case SettingType::kChoice:
      return std::string(setting.choices);
  }
  return {};
}

}  // namespace

std::span<const Setting> Settings() { return kSettings; }

std::string EnvironmentName(std::string_view setting) {
  return Spelled("REGRESSD_", setting, '_', true);
}

std::string FlagName(std::string_view setting) { return Spelled("--", setting, '-', false); }

std::string HelpText() {
  std::string text =
      "usage: regressd [--OPTION VALUE]...\n\n"
      "Collects samples of workload runs and flags performance regressions.\n\n"
      "  --config FILE\n      Read settings from a TOML file; REGRESSD_CONFIG names one too.\n"
      "  --ports-file FILE\n      Write the ports that are listened on, as JSON, once they are.\n"
      "  --print-config\n      Print every setting with its value and origin, and end.\n"
      "  --help, --version\n\n"
      "Settings; a flag wins over the environment, that over the file, that over the default.\n"
      "--grpc-listen is REGRESSD_GRPC_LISTEN in the environment and [grpc] listen in the file.\n"
      "A secret may be given as the name of a file that holds it: REGRESSD_DATABASE_URL_FILE.\n\n";
  for (const Setting& setting : kSettings) {
    text += fmt::format(
        "  {} {}\n      {}{}\n", FlagName(setting.name), Placeholder(setting), setting.help,
        setting.default_text.empty() ? "" : fmt::format(" Default: {}.", setting.default_text));
  }
  return text;
}

}  // namespace regressd
