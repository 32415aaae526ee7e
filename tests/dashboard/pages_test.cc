#include "services/dashboard/pages.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/dashboard/dashboard_fixture.h"

namespace regressd::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(DashboardTest, EveryPageIsWholeHtmlWithoutScripts) {
  AddSlowHead();
  const auto id = AddRegression("base", "head", "-10.0% regression of vm-scalability.throughput");
  for (const std::string& target :
       {std::string("/"), fmt::format("/r/{}", id), std::string("/compare"),
        std::string("/compare?base=base&head=head&all=1"), std::string("/runs"),
        "/run/" + UuidOf(1)}) {
    const Answer page = Get(target);
    EXPECT_EQ(page.status, 200) << target;
    EXPECT_THAT(page.body, AllOf(HasSubstr("<!DOCTYPE html>"), HasSubstr("<html lang=\"en\">"),
                                 HasSubstr("<h1>"), HasSubstr("</html>")))
        << target;
    EXPECT_THAT(page.body, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("style=")),
                                 Not(HasSubstr(" onclick"))))
        << target;
    EXPECT_THAT(page.headers, AllOf(HasSubstr("default-src 'none'; style-src 'self';"),
                                    Not(HasSubstr("unsafe-inline"))))
        << target;
  }
}

TEST_F(DashboardTest, TheStyleSheetIsServedAndCached) {
  const Answer style = Get("/style.css");
  EXPECT_EQ(style.status, 200);
  EXPECT_THAT(style.headers, AllOf(HasSubstr("text/css"), HasSubstr("immutable")));
  EXPECT_THAT(style.body,
              AllOf(HasSubstr("prefers-color-scheme: dark"), HasSubstr("@media print")));
}

TEST_F(DashboardTest, ARegressionPageSaysWhatChangedAndWhatItRestsOn) {
  AddSlowHead();
  const auto id = AddRegression("base", "head", "-10.0% regression of vm-scalability.throughput");
  const Answer page = Get(fmt::format("/r/{}", id));
  ASSERT_EQ(page.status, 200);
  EXPECT_THAT(page.body,
              HasSubstr("vm-scalability.throughput went from 1000 to 900.00 KiB/s; higher "
                        "is better. 3 runs of the base against 3 runs of the head."));
  // Python 3.11: statistics.stdev([998, 1000, 1002]) / 1000 = 0.2 %.
  EXPECT_THAT(page.body, HasSubstr("1000<span class=\"quiet\"> ± 0.2%</span>"));
  EXPECT_THAT(page.body, HasSubstr("<td class=\"n worse\">-10.0%</td>"));
  EXPECT_THAT(page.body, HasSubstr("vmstat.swap.si"));       // Among all metrics.
  EXPECT_THAT(page.body, HasSubstr("%stddev     %change"));  // The table as text.
  EXPECT_THAT(page.body, HasSubstr("href=\"/run/" + UuidOf(4) + "\""));
  EXPECT_THAT(
      page.body,
      HasSubstr("href=\"/compare?base=base&amp;head=head&amp;axis=testcase%3Dvm-scalability"));
  EXPECT_THAT(page.body, HasSubstr("lkp-hsw-ep2-1"));
}

TEST_F(DashboardTest, ARegressionPageShowsItsHistory) {
  AddSlowHead();
  const auto id = AddRegression("base", "head", "x");
  ASSERT_TRUE(
      store_.SetState(id, model::RegressionState::kAcknowledged, "known <cause>", "ying", {}).ok());
  const Answer page = Get(fmt::format("/r/{}", id));
  EXPECT_THAT(page.body, AllOf(HasSubstr("acknowledged"), HasSubstr("<td>ying</td>"),
                               HasSubstr("known &lt;cause&gt;")));
}

TEST_F(DashboardTest, FactsThatDifferComeFirstAndSaySo) {
  for (int number = 1; number <= 4; ++number) {
    RunDraft draft;
    draft.number = number;
    draft.commit.commit_id = number <= 2 ? "base" : "head";
    draft.values = {{MetricNamed("vm-scalability.throughput"), 100.0 + number}};
    draft.edit = [&](model::RunSpec& spec) {
      spec.facts.cpu_model = "Xeon";
      spec.facts.microcode = number <= 2 ? "0x43" : "0x49";
    };
    AddRun(draft);
  }
  const Answer page = Get("/compare?base=base&head=head");
  ASSERT_EQ(page.status, 200) << page.body;
  const auto differs = page.body.find("Microcode");
  const auto same = page.body.find("CPU</th>");
  ASSERT_NE(differs, std::string::npos);
  ASSERT_NE(same, std::string::npos);
  EXPECT_LT(differs, same);
  EXPECT_THAT(page.body.substr(differs, same - differs), HasSubstr("differs"));
}

TEST_F(DashboardTest, HostileNamesStayText) {
  const std::string evil = "<script>alert(1)</script>\"'\u202E\x1b[2J";
  for (int number = 1; number <= 6; ++number) {
    RunDraft draft;
    draft.number = number;
    draft.commit.commit_id = number <= 3 ? "base" + evil : "head" + evil;
    draft.commit.subject = evil;
    draft.commit.describe = evil;
    draft.axes.Set("testcase", evil);
    draft.axes.Set(evil, evil);
    draft.values = {{MetricNamed(evil + ".kpi", model::Better::kHigher, evil),
                     number <= 3 ? 100.0 + number : 50.0 + number}};
    draft.edit = [&](model::RunSpec& spec) {
      spec.facts.testbox = evil;
      spec.facts.settings[evil] = evil;
      spec.command = {evil};
      spec.monitor_notes[evil] = evil;
    };
    draft.outcome.last_output_lines = {evil, "</pre>" + evil};
    AddRun(draft);
  }
  const auto id = AddRegression("base" + evil, "head" + evil, evil);
  ASSERT_TRUE(store_.SetState(id, model::RegressionState::kConfirmed, evil, evil, {}).ok());
  const std::string encoded = "%3Cscript%3Ealert(1)%3C%2Fscript%3E%22%27%E2%80%AE%1B%5B2J";
  for (const std::string& target :
       {std::string("/"), fmt::format("/r/{}", id), "/run/" + UuidOf(4), std::string("/runs"),
        "/compare?base=base" + encoded + "&head=head" + encoded + "&all=1",
        "/compare?base=" + encoded + "&head=" + encoded, "/runs?testbox=" + encoded,
        "/?axis=" + encoded, "/?state=" + encoded, "/r/" + encoded, "/run/" + encoded,
        "/runs?after=" + encoded}) {
    const Answer page = Get(target);
    EXPECT_NE(page.status, 0) << target;
    EXPECT_NE(page.status, 500) << target;
    EXPECT_THAT(page.body, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("\u202E")),
                                 Not(HasSubstr("\x1b")), Not(HasSubstr("</pre><script"))))
        << target;
    EXPECT_THAT(page.body, Not(HasSubstr("\"'"))) << target;
  }
}

TEST_F(DashboardTest, TheListFiltersByStateAndSaysWhenNothingMatches) {
  AddSlowHead();
  const auto id = AddRegression("base", "head", "-10.0% regression of vm-scalability.throughput");
  ASSERT_TRUE(store_.SetState(id, model::RegressionState::kAcknowledged, "", "ying", {}).ok());
  EXPECT_THAT(Get("/?state=acknowledged").body, HasSubstr("-10.0% regression"));
  const Answer none = Get("/?state=fixed");
  EXPECT_EQ(none.status, 200);
  EXPECT_THAT(none.body,
              AllOf(Not(HasSubstr("-10.0% regression")), HasSubstr("No regression matches.")));
}

TEST_F(DashboardTest, ListsOfRunsHavePages) {
  for (int number = 1; number <= 120; ++number) {
    RunDraft draft;
    draft.number = number;
    draft.commit.commit_id = "base";
    AddRun(draft);
  }
  std::string target = "/runs?testbox=lkp-hsw-ep2-1";
  std::size_t seen = 0;
  int pages = 0;
  while (!target.empty() && pages < 10) {
    const std::string body = Get(target).body;
    ++pages;
    for (std::size_t at = 0; (at = body.find("href=\"/run/", at)) != std::string::npos; ++at)
      ++seen;
    const std::size_t older = body.find(">Older<");
    target.clear();
    if (older == std::string::npos) break;
    const std::size_t begin = body.rfind("href=\"", older) + 6;
    target = body.substr(begin, body.find('"', begin) - begin);
    EXPECT_THAT(target, HasSubstr("testbox=lkp-hsw-ep2-1&amp;after="));
    target.replace(target.find("&amp;"), 5, "&");
  }
  EXPECT_EQ(seen, 120u);
  EXPECT_EQ(pages, 3);
}

TEST_F(DashboardTest, RunsFilterByCommitAxisAndState) {
  AddSlowHead();
  RunDraft failed;
  failed.number = 9;
  failed.commit.commit_id = "head";
  failed.outcome.exit_status = 1;
  AddRun(failed);
  const Answer page = Get("/runs?state=failed&commit=head&axis=nr_task%3D8");
  EXPECT_THAT(page.body, AllOf(HasSubstr(UuidOf(9)), Not(HasSubstr(UuidOf(5)))));
}

TEST_F(DashboardTest, AFailedRunShowsItsLastWords) {
  RunDraft draft;
  draft.commit.commit_id = "head";
  draft.outcome.exit_status = -1;
  draft.outcome.term_signal = 9;
  draft.outcome.last_output_lines = {"mmap: Cannot allocate memory", "giving up"};
  draft.edit = [](model::RunSpec& spec) {
    spec.monitor_notes["perf-stat"] = "cycles: not supported by this machine";
    spec.job_toml = "testcase = \"t\"\nruns = 1\n";
  };
  AddRun(draft);
  const Answer page = Get("/run/" + UuidOf(1).substr(0, 8));
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, AllOf(HasSubstr("killed by signal 9"),
                               HasSubstr("testcase = &quot;t&quot;\nruns = 1\n</pre>"),
                               HasSubstr("mmap: Cannot allocate memory\ngiving up\n</pre>"),
                               HasSubstr("cycles: not supported by this machine"),
                               HasSubstr("samples of a run become its values when it ends")));
}

TEST_F(DashboardTest, ComparingShowsChangesAndOffersAllMetrics) {
  AddSlowHead();
  const Answer page = Get("/compare?base=base&head=head");
  ASSERT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("<span class=\"tag worse\">regression</span>"));
  EXPECT_THAT(page.body, HasSubstr("All 2 metrics</a>"));
  EXPECT_THAT(page.body, Not(HasSubstr("class=\"metric\">vmstat.swap.si")));
  EXPECT_THAT(Get("/compare?base=base&head=head&all=1").body,
              HasSubstr("class=\"metric\">vmstat.swap.si"));
}

TEST_F(DashboardTest, ErrorsSayWhyWithTheRightStatus) {
  AddSlowHead();
  EXPECT_EQ(Get("/r/4711").status, 404);
  EXPECT_EQ(Get("/r/x").status, 404);
  EXPECT_EQ(Get("/run/ffffffff").status, 404);
  EXPECT_EQ(Get("/run/zz").status, 400);
  EXPECT_EQ(Get("/runs?after=soon").status, 400);
  EXPECT_EQ(Get("/?axis=nonsense").status, 400);
  EXPECT_EQ(Get("/?state=sleepy").status, 400);
  EXPECT_EQ(Get("/compare?head=head").status, 400);
  EXPECT_EQ(Get("/compare?base=base&head=head&metric=%28").status, 400);
  const Answer unknown = Get("/compare?base=base&head=nowhere");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_THAT(unknown.body,
              AllOf(HasSubstr("nowhere"), HasSubstr("value=\"base\"")));  // The form stays filled.
}

TEST_F(DashboardTest, NothingToCompareIsNotFound) {
  AddSlowHead();
  const Answer page = Get("/compare?base=base&head=head&axis=nr_task%3D64");
  EXPECT_EQ(page.status, 404);
  EXPECT_THAT(page.body, HasSubstr("role=\"alert\""));
}

TEST_F(DashboardTest, AStoreThatIsAwayIsAnOutageNotAFault) {
  AddSlowHead();
  const auto id = AddRegression("base", "head", "x");
  store_.FailWith(absl::UnavailableError("database unreachable"));
  for (const std::string& target :
       {std::string("/"), fmt::format("/r/{}", id), std::string("/compare?base=base&head=head"),
        std::string("/runs"), "/run/" + UuidOf(1)}) {
    const Answer page = Get(target);
    EXPECT_EQ(page.status, 503) << target;
    EXPECT_THAT(page.body, HasSubstr("Nothing is lost")) << target;
  }
}

TEST_F(DashboardTest, AsksWhoMayRead) {
  AddSlowHead();
  authorizer_.Close();
  for (const std::string& target : {std::string("/"), std::string("/r/1"), std::string("/compare"),
                                    std::string("/runs"), "/run/" + UuidOf(1)}) {
    const Answer page = Get(target);
    EXPECT_EQ(page.status, 403) << target;
    EXPECT_THAT(page.body, Not(HasSubstr("vm-scalability"))) << target;
  }
}

TEST_F(DashboardTest, ErrorsArePlainTextForPrograms) {
  const Answer page = Get("/r/4711", "*/*");
  EXPECT_EQ(page.status, 404);
  EXPECT_THAT(page.headers, HasSubstr("text/plain"));
}

}  // namespace
}  // namespace regressd::test
