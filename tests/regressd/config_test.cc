#include "services/regressd/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace regressd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using Arguments = std::vector<std::string>;
using Environment = std::map<std::string, std::string>;

class ConfigTest : public ::testing::Test {
 protected:
  std::string WriteFile(const std::string& name, const std::string& text) {
    const std::filesystem::path path = directory_.path() / name;
    std::ofstream(path) << text;
    return path.string();
  }

  static Config Read(const Arguments& arguments,
                     const Environment& environment = {{"HOME", "/home/a"}}) {
    const auto invocation = ReadInvocation(arguments, environment, /*is_root=*/false);
    EXPECT_TRUE(invocation.ok()) << invocation.status();
    return invocation.ok() ? invocation->config : Config{};
  }

  static std::string Error(const Arguments& arguments,
                           const Environment& environment = {{"HOME", "/home/a"}}) {
    const auto invocation = ReadInvocation(arguments, environment, /*is_root=*/false);
    EXPECT_EQ(invocation.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(invocation.status().message());
  }

  testing::TemporaryDirectory directory_;
};

TEST_F(ConfigTest, ListensOnLoopbackAloneWhenNothingIsSaid) {
  const Config config = Read({});
  EXPECT_EQ(config.grpc_listen, "127.0.0.1:7878");
  EXPECT_EQ(config.http_listen, "127.0.0.1:7879");
  EXPECT_EQ(config.database_url, "");
}

TEST_F(ConfigTest, AFlagBeatsTheEnvironmentThatBeatsTheFileThatBeatsTheDefault) {
  const std::string file = WriteFile("r.toml",
                                     "drain_timeout_s = 1\n[detect]\npoll_interval_ms = 100\n"
                                     "[ingest]\ncommitters = 3\n");
  const Environment environment = {{"HOME", "/home/a"},
                                   {"REGRESSD_DETECT_POLL_INTERVAL_MS", "200"},
                                   {"REGRESSD_INGEST_COMMITTERS", "4"}};
  const Config config = Read({"--config", file, "--ingest-committers=5"}, environment);
  EXPECT_EQ(config.drain_timeout.count(), 1);
  EXPECT_EQ(config.detect_poll_interval.count(), 200);
  EXPECT_EQ(config.ingest_committers, 5);
  EXPECT_EQ(config.log_level, "info");
}

TEST_F(ConfigTest, DataLiveWhereTheUserKeepsData) {
  EXPECT_EQ(Read({}).data_dir, "/home/a/.local/share/regressd");
  EXPECT_EQ(Read({}, {{"HOME", "/home/a"}, {"XDG_DATA_HOME", "/data"}}).data_dir, "/data/regressd");
  const auto root = ReadInvocation({}, {{"HOME", "/root"}}, /*is_root=*/true);
  ASSERT_TRUE(root.ok());
  EXPECT_EQ(root->config.data_dir, "/var/lib/regressd");
  EXPECT_THAT(Error({}, {}), HasSubstr("set data_dir or database.url"));
}

TEST_F(ConfigTest, AnUnknownFlagIsRefusedWithANearOne) {
  EXPECT_THAT(Error({"--grpc-lisen", "x"}),
              AllOf(HasSubstr("--grpc-lisen"), HasSubstr("did you mean --grpc-listen?")));
  EXPECT_THAT(Error({"--zzzzzz"}), HasSubstr("see regressd --help"));
}

TEST_F(ConfigTest, AnUnknownVariableIsRefusedWithANearOne) {
  EXPECT_THAT(Error({}, {{"REGRESSD_LOG_LEVL", "info"}}),
              HasSubstr("did you mean REGRESSD_LOG_LEVEL?"));
}

TEST_F(ConfigTest, VariablesOfOtherProgramsAreNoMistake) {
  Read({}, {{"HOME", "/h"},
            {"REGRESSD_SERVER", "a:1"},
            {"REGRESSD_SERVICE_HOST", "10.0.0.1"},
            {"REGRESSD_PORT_7878_TCP", "tcp://10.0.0.1:7878"}});
}

TEST_F(ConfigTest, AnUnknownKeyOfTheFileIsRefusedWithLineAndNearName) {
  const std::string file = WriteFile("r.toml", "\n[grpc]\nlistn = \"127.0.0.1:1\"\n");
  EXPECT_THAT(Error({"--config", file}), AllOf(HasSubstr("r.toml:3: unknown setting grpc.listn"),
                                               HasSubstr("did you mean grpc.listen?")));
}

TEST_F(ConfigTest, AFileThatIsNotTomlIsRefusedWithItsLine) {
  const std::string file = WriteFile("r.toml", "[grpc]\nlisten = \n");
  EXPECT_THAT(Error({"--config", file}), HasSubstr("r.toml:2:"));
  EXPECT_THAT(Error({"--config", "/nowhere.toml"}),
              HasSubstr("cannot read configuration file /nowhere.toml"));
}

TEST_F(ConfigTest, AValueOfTheWrongTypeIsRefusedWhereItStands) {
  const std::string file = WriteFile("r.toml", "[detect]\npoll_interval_ms = \"fast\"\n");
  EXPECT_THAT(Error({"--config", file}),
              HasSubstr("r.toml:2: detect.poll_interval_ms must be a whole number"));
  EXPECT_THAT(Error({"--detect-poll-interval-ms=1"}), HasSubstr("from 10 to 3600000"));
  EXPECT_THAT(
      Error({}, {{"REGRESSD_GRPC_REFLECTION", "maybe"}}),
      HasSubstr("REGRESSD_GRPC_REFLECTION: grpc.reflection is 'maybe' and must be true or false"));
  EXPECT_THAT(Error({"--log-format", "xml"}), HasSubstr("one of auto|text|json"));
  EXPECT_THAT(Error({"--grpc-listen", "7878"}), HasSubstr("must be host:port"));
  EXPECT_THAT(Error({"--grpc-listen", "::1:7878"}), HasSubstr("[::1]:7878"));
  EXPECT_THAT(Error({"--http-listen", "127.0.0.1:70000"}), HasSubstr("must be host:port"));
  EXPECT_THAT(Error({"--report-bot-address", "me"}), HasSubstr("name@host"));
  EXPECT_THAT(Error({"--report-base-url", "ftp://x"}), HasSubstr("http://"));
  EXPECT_THAT(Error({"--drain-timeout-s"}), HasSubstr("needs a value"));
}

TEST_F(ConfigTest, ASettingGivenTwiceIsRefused) {
  EXPECT_THAT(Error({"--log-level", "info", "--log-level", "debug"}),
              HasSubstr("both set log.level"));
}

TEST_F(ConfigTest, DatabaseUrlIsUnderstoodBehindOurOwnName) {
  EXPECT_EQ(Read({}, {{"HOME", "/h"}, {"DATABASE_URL", "postgresql://a@b/c"}}).database_url,
            "postgresql://a@b/c");
  EXPECT_EQ(Read({}, {{"HOME", "/h"},
                      {"DATABASE_URL", "postgresql://a@b/c"},
                      {"REGRESSD_DATABASE_URL", "postgresql://d@e/f"}})
                .database_url,
            "postgresql://d@e/f");
}

TEST_F(ConfigTest, ASecretMayComeFromAFile) {
  const std::string secret = WriteFile("url", "postgresql://a:pw@b/c\n");
  EXPECT_EQ(Read({}, {{"HOME", "/h"}, {"REGRESSD_DATABASE_URL_FILE", secret}}).database_url,
            "postgresql://a:pw@b/c");
  EXPECT_EQ(Read({"--database-url-file", secret}).database_url, "postgresql://a:pw@b/c");
  const std::string file = WriteFile("r.toml", "[database]\nurl_file = \"" + secret + "\"\n");
  EXPECT_EQ(Read({"--config", file}).database_url, "postgresql://a:pw@b/c");
  EXPECT_THAT(Error({}, {{"HOME", "/h"}, {"REGRESSD_DATABASE_URL_FILE", "/nowhere"}}),
              HasSubstr("REGRESSD_DATABASE_URL_FILE: cannot read file /nowhere"));
  EXPECT_THAT(Error({"--database-url-file", "/"}), HasSubstr("cannot read file /"))
      << "a directory opens and cannot be read";
}

TEST_F(ConfigTest, PrintConfigShowsOriginsAndHidesSecrets) {
  const auto invocation = ReadInvocation(Arguments{"--print-config", "--grpc-listen=127.0.0.1:1"},
                                         {{"HOME", "/h"},
                                          {"DATABASE_URL", "postgresql://a:hunter2@b/c"},
                                          {"REGRESSD_LOG_LEVEL", "debug"}},
                                         /*is_root=*/false);
  ASSERT_TRUE(invocation.ok()) << invocation.status();
  EXPECT_EQ(invocation->action, Invocation::Action::kPrint);
  EXPECT_THAT(invocation->output,
              AllOf(HasSubstr("grpc.listen = \"127.0.0.1:1\"  # --grpc-listen\n"),
                    HasSubstr("database.url = (hidden)  # DATABASE_URL\n"),
                    HasSubstr("log.level = \"debug\"  # REGRESSD_LOG_LEVEL\n"),
                    HasSubstr("drain_timeout_s = 20  # default\n"), Not(HasSubstr("hunter2"))));
}

TEST_F(ConfigTest, ABadDatabaseUrlIsRefusedWithoutItsPassword) {
  EXPECT_THAT(Error({"--database-url", "postgresql://a:hunter2@[b/c"}),
              AllOf(HasSubstr("--database-url: the database URL cannot be read"),
                    Not(HasSubstr("hunter2"))));
}

TEST_F(ConfigTest, HelpNamesEverySetting) {
  const auto invocation = ReadInvocation(Arguments{"--help"}, {}, false);
  ASSERT_TRUE(invocation.ok());
  for (const Setting& setting : Settings())
    EXPECT_THAT(invocation->output, HasSubstr(FlagName(setting.name)));
}

TEST_F(ConfigTest, KnowsWhichAddressesOthersCanReach) {
  for (const char* inside : {"127.0.0.1:1", "localhost:1", "[::1]:1"})
    EXPECT_FALSE(IsReachableFromOutside(inside));
  for (const char* outside : {"0.0.0.0:1", "[::]:1", "192.0.2.1:1", "example.org:1"}) {
    EXPECT_TRUE(IsReachableFromOutside(outside));
  }
}

}  // namespace
}  // namespace regressd
