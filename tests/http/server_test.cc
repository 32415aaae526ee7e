#include "services/http/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>
#include <stdexcept>
#include <thread>

#include "fmt/format.h"
#include "services/http/error_page.h"
#include "tests/http/raw_client.h"

namespace regressd::http {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ServerTest : public ::testing::Test {
 protected:
  void Start() {
    const absl::Status status = server_.Start("127.0.0.1:0");
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_GT(server_.port(), 0);
  }

  HttpServer server_;
};

Response Text(std::string body) {
  return {.status = 200, .content_type = "text/plain", .body = std::move(body), .headers = {}};
}

TEST_F(ServerTest, RoutesAWholePathAndDecodesItsCapturesAndQuery) {
  server_.Get("/r/([0-9]+)", [](const Request& request) {
    return Text(fmt::format("id={} q={} agent={}", request.captures.at(0),
                            request.Query("name").value_or("none"),
                            request.headers.at("user-agent")));
  });
  Start();
  EXPECT_THAT(Fetch(server_.port(), "GET", "/r/17?name=a%20b%26c", "User-Agent: probe\r\n"),
              AllOf(StartsWith("HTTP/1.1 200 "), EndsWith("id=17 q=a b&c agent=probe")));
  EXPECT_THAT(Fetch(server_.port(), "GET", "/r/17/more"), StartsWith("HTTP/1.1 404 "));
}

TEST_F(ServerTest, EveryAnswerForbidsScriptsAndSniffing) {
  server_.Get("/ok", [](const Request&) { return Text("ok"); });
  Start();
  for (const char* path : {"/ok", "/missing"}) {
    EXPECT_THAT(Fetch(server_.port(), "GET", path),
                AllOf(HasSubstr("Content-Security-Policy: default-src 'none';"),
                      HasSubstr("X-Content-Type-Options: nosniff\r\n"),
                      HasSubstr("Referrer-Policy: no-referrer\r\n"), Not(HasSubstr("script-src"))));
  }
}

TEST_F(ServerTest, HeadHasTheHeadersOfGetAndNoBody) {
  server_.Get("/ok", [](const Request&) { return Text("twelve bytes"); });
  Start();
  EXPECT_THAT(Fetch(server_.port(), "HEAD", "/ok"),
              AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("Content-Length: 12\r\n"),
                    EndsWith("\r\n\r\n"), Not(HasSubstr("twelve"))));
}

TEST_F(ServerTest, AnUnknownPageIsNamedAndEscapedForABrowser) {
  Start();
  const std::string page =
      Fetch(server_.port(), "GET", "/%3Cscript%3Ealert(1)%3C/script%3E", "Accept: text/html\r\n");
  EXPECT_THAT(
      page, AllOf(StartsWith("HTTP/1.1 404 "), HasSubstr("Content-Type: text/html"),
                  HasSubstr("/&lt;script&gt;alert(1)&lt;/script&gt;"), Not(HasSubstr("<script>"))));
}

TEST_F(ServerTest, AnUnknownPageIsALineOfTextForAProgram) {
  Start();
  EXPECT_THAT(Fetch(server_.port(), "GET", "/nothing"),
              AllOf(HasSubstr("Content-Type: text/plain"),
                    EndsWith("404 Not Found: there is no page /nothing\n")));
}

TEST_F(ServerTest, OtherMethodsAreRefusedWithWhatIsAllowed) {
  server_.Get("/ok", [](const Request&) { return Text("ok"); });
  Start();
  EXPECT_THAT(Fetch(server_.port(), "POST", "/ok", "Content-Length: 0\r\n"),
              AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("Allow: GET, HEAD\r\n")));
}

TEST_F(ServerTest, AHandlerThatThrowsIsA500WithoutItsMessage) {
  server_.Get("/bad",
              [](const Request&) -> Response { throw std::runtime_error("secret detail"); });
  Start();
  EXPECT_THAT(Fetch(server_.port(), "GET", "/bad"),
              AllOf(StartsWith("HTTP/1.1 500 "), Not(HasSubstr("secret detail"))));
}

TEST_F(ServerTest, ABodyBeyondTheLimitIsRefused) {
  Start();
  // The limit is 64 KiB.
  EXPECT_THAT(
      Fetch(server_.port(), "POST", "/x", "Content-Length: 70000\r\n", std::string(70000, 'x')),
      StartsWith("HTTP/1.1 413 "));
}

TEST_F(ServerTest, ATooLongHeaderLineIsRefused) {
  server_.Get("/ok", [](const Request&) { return Text("ok"); });
  Start();
  EXPECT_THAT(Fetch(server_.port(), "GET", "/ok", "X: " + std::string(20000, 'x') + "\r\n"),
              StartsWith("HTTP/1.1 400 "));
}

TEST_F(ServerTest, AnotherServerCannotTakeAPortThatIsTaken) {
  Start();
  HttpServer second;
  const absl::Status status = second.Start(fmt::format("127.0.0.1:{}", server_.port()));
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr(std::to_string(server_.port())));
}

TEST_F(ServerTest, AnAddressWithoutAPortIsRefused) {
  EXPECT_EQ(server_.Start("localhost").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(server_.Start("localhost:99999").code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ServerTest, StopLetsARunningRequestFinish) {
  std::latch entered(1);
  std::latch go_on(1);
  server_.Get("/slow", [&](const Request&) {
    entered.count_down();
    go_on.wait();
    return Text("finished");
  });
  Start();
  std::string answer;
  std::thread client([&] { answer = Fetch(server_.port(), "GET", "/slow"); });
  entered.wait();
  std::thread stopper([&] { server_.Stop(); });
  go_on.count_down();
  stopper.join();
  client.join();
  EXPECT_THAT(answer, EndsWith("finished"));
  EXPECT_EQ(Fetch(server_.port(), "GET", "/slow"), "");
}

TEST(ErrorPageTest, InternalErrorsKeepTheirDetailsToThemselves) {
  const Response response = ErrorPage(Request{}, absl::InternalError("SELECT secret"));
  EXPECT_EQ(response.status, 500);
  EXPECT_THAT(response.body, Not(HasSubstr("SELECT")));
  EXPECT_EQ(ErrorPage(Request{}, absl::NotFoundError("run r-17")).status, 404);
  EXPECT_EQ(ErrorPage(Request{}, absl::UnavailableError("x")).status, 503);
}

}  // namespace
}  // namespace regressd::http
