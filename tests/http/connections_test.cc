#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <string>
#include <vector>

#include "fmt/format.h"
#include "services/http/request_extent.h"
#include "services/http/server.h"
#include "tests/http/raw_client.h"

namespace regressd::http {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

// Both ends of each connection are here.
void AllowManyDescriptors() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

class ConnectionsTest : public ::testing::Test {
 protected:
  ConnectionsTest() {
    AllowManyDescriptors();
    server_.Get("/([a-z]+)", [](const Request& request) {
      return Response{.status = 200,
                      .content_type = "text/plain",
                      .body = request.captures.at(0),
                      .headers = {}};
    });
    const absl::Status status = server_.Start("127.0.0.1:0");
    EXPECT_TRUE(status.ok()) << status;
  }

  std::vector<RawConnection> Open(int count, std::string_view begin) {
    std::vector<RawConnection> connections;
    for (int i = 0; i < count; ++i) {
      connections.emplace_back(server_.port());
      EXPECT_TRUE(connections.back().Send(begin));
    }
    return connections;
  }

  HttpServer server_;
};

TEST_F(ConnectionsTest, HundredsThatSayNothingOrHalfARequestKeepNobodyWaiting) {
  const auto silent = Open(150, "");
  const auto in_the_head = Open(150, "GET /ok HTTP/1.1\r\nHost: loc");
  const auto in_the_body = Open(100, "POST /ok HTTP/1.1\r\nContent-Length: 100\r\n\r\nhalf");
  for (int i = 0; i < 20; ++i) {
    EXPECT_THAT(Fetch(server_.port(), "GET", "/ok"), EndsWith("\r\n\r\nok"));
  }
}

TEST_F(ConnectionsTest, WhoWaitedLongestMakesRoomForOneTooMany) {
  // More than the 512 that are kept.
  auto silent = Open(600, "");
  EXPECT_THAT(Fetch(server_.port(), "GET", "/ok"), EndsWith("ok"));
  EXPECT_EQ(silent.front().ReadAnswer(), "");  // Closed.
  ASSERT_TRUE(silent.back().Send("GET /last HTTP/1.1\r\nHost: x\r\n\r\n"));
  EXPECT_THAT(silent.back().ReadAnswer(), EndsWith("last"));
}

TEST_F(ConnectionsTest, OneConnectionCarriesManyRequestsAlsoSentTogetherOrInPieces) {
  RawConnection connection(server_.port());
  ASSERT_TRUE(connection.Send(
      "GET /one HTTP/1.1\r\nHost: x\r\n\r\nGET /two HTTP/1.1\r\nHost: x\r\n\r\nGET /th"));
  EXPECT_THAT(connection.ReadAnswer(), EndsWith("one"));
  EXPECT_THAT(connection.ReadAnswer(), EndsWith("two"));
  ASSERT_TRUE(connection.Send("ree HTTP/1.1\r\nHost: x\r\n\r\n"));
  EXPECT_THAT(connection.ReadAnswer(), EndsWith("three"));
}

TEST_F(ConnectionsTest, ABodyIsNotTakenForTheNextRequest) {
  RawConnection connection(server_.port());
  ASSERT_TRUE(connection.Send("POST /one HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n"));
  ASSERT_TRUE(connection.Send("GET /GET /two HTTP/1.1\r\nHost: x\r\n\r\n"));
  EXPECT_THAT(connection.ReadAnswer(), StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(connection.ReadAnswer(), EndsWith("two"));
}

TEST_F(ConnectionsTest, ABodyOfUnknownLengthEndsTheConnection) {
  RawConnection connection(server_.port());
  ASSERT_TRUE(
      connection.Send("POST /one HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"));
  EXPECT_THAT(connection.ReadAnswer(), StartsWith("HTTP/1.1 4"));
  EXPECT_EQ(connection.ReadAnswer(), "");
}

TEST_F(ConnectionsTest, OldClientsAreToldTheEndByTheEndOfTheConnection) {
  RawConnection connection(server_.port());
  ASSERT_TRUE(connection.Send("GET /ok HTTP/1.0\r\n\r\n"));
  EXPECT_THAT(connection.ReadAnswer(), EndsWith("ok"));
  EXPECT_EQ(connection.ReadAnswer(), "");
}

TEST(RequestExtentTest, AHeadWithoutAnEndIsGivenUpAtItsLimit) {
  EXPECT_FALSE(FindRequest("GET / HTTP/1.1\r\nX: "));
  const auto extent = FindRequest("GET / HTTP/1.1\r\nX: " + std::string(kMaxHeadBytes, 'x'));
  ASSERT_TRUE(extent);
  EXPECT_TRUE(extent->is_last);
}

TEST(RequestExtentTest, LengthsThatAreNoNumberOrTooLargeEndTheConnection) {
  for (const char* length : {"-1", "5x", "", "99999999999999999999", "65537"}) {
    const std::string head = fmt::format("POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n", length);
    const auto extent = FindRequest(head + "body");
    ASSERT_TRUE(extent) << length;
    EXPECT_TRUE(extent->is_last) << length;
    EXPECT_EQ(extent->size_bytes, head.size()) << length;
  }
}

}  // namespace
}  // namespace regressd::http
