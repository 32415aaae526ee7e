#include "services/common/server_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace regressd::common {
namespace {

using ::testing::HasSubstr;

TEST(ServerAddressTest, TakesWhatGrpcTakesWithItsPort) {
  for (const char* address :
       {"127.0.0.1:7878", "localhost:1", "perf-server.example.org:65535", "build_host:80",
        "[::1]:7878", "[fe80::1%eth0]:7878", "unix:/run/regressd.sock", "unix:///run/regressd.sock",
        "unix:relative.sock", "unix-abstract:regressd", "dns:///host.example:7878"}) {
    EXPECT_EQ(CheckServerAddress(address), absl::OkStatus()) << address;
  }
}

TEST(ServerAddressTest, RefusesWhatCannotBeOneAndSaysWhatIs) {
  for (const char* address : {"",
                              "nonsense",
                              "127.0.0.1",
                              "127.0.0.1:",
                              ":7878",
                              "127.0.0.1:0",
                              "127.0.0.1:65536",
                              "127.0.0.1:99999",
                              "127.0.0.1:-1",
                              "127.0.0.1:+1",
                              "127.0.0.1:78 78",
                              "host:http",
                              "300.0.0.1:7878",
                              "1.2.3:7878",
                              "a b:7878",
                              "http://host:7878",
                              "https://host:7878",
                              "::1",
                              "::1:7878",
                              "[::1]",
                              "[::1]7878",
                              "[::1:7878",
                              "[host]:7878",
                              "[]:7878",
                              "unix:",
                              "host:1:2",
                              "host\x01:7878",
                              "host\xff:7878"}) {
    const absl::Status status = CheckServerAddress(address);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << address;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("write host:port, [IPv6]:port or unix:path"))
        << address;
  }
}

TEST(ServerAddressTest, NamesThePortThatWouldWrapToAnother) {
  EXPECT_THAT(std::string(CheckServerAddress("127.0.0.1:99999").message()),
              HasSubstr("\"127.0.0.1:99999\": its port is no number from 1 to 65535"));
}

TEST(ServerAddressTest, ASocketsNameHasTheSystemsLength) {
  // unix(7): sun_path has 108 bytes, the last one for the NUL.
  EXPECT_TRUE(CheckServerAddress("unix:" + std::string(107, 'x')).ok());
  EXPECT_FALSE(CheckServerAddress("unix:" + std::string(108, 'x')).ok());
}

}  // namespace
}  // namespace regressd::common
