#include "services/report/render_mail.h"

#include <gmock/gmock.h>

#include <chrono>
#include <sstream>

#include "services/report/mail_body.h"
#include "tests/report/block_builder.h"

namespace regressd::report {
namespace {

using model::Verdict;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

model::RegressionMetric Headline(Verdict verdict, std::optional<double> relative_change) {
  model::RegressionMetric headline;
  headline.metric.name = "vm-scalability.throughput";
  headline.metric.unit = "KiB/s";
  headline.metric.better = model::Better::kHigher;
  headline.judgement.verdict = verdict;
  headline.judgement.reason = "significant";
  headline.judgement.rule = "welch-1";
  headline.judgement.base = {.run_count = 5, .mean = 3212076, .sample_stddev = 30000};
  headline.judgement.head = {.run_count = 5, .mean = 2896000, .sample_stddev = 29000};
  headline.judgement.relative_change = relative_change;
  headline.judgement.q_value = 0.0012;
  headline.judgement.max_q_value = 0.05;
  headline.judgement.family_size = 312;
  return headline;
}

model::Regression Example() {
  model::Regression regression;
  regression.regression_id = 17;
  regression.axes = model::Axes({{"testcase", "vm-scalability"},
                                 {"tbox_group", "lkp-hsw-ep2"},
                                 {"kconfig", "x86_64-rhel-8.3"},
                                 {"test", "swap-w-seq"},
                                 {"nr_task", "8"}});
  regression.base.commit_id = "1b2c3d4e5f60718293a4b5c6d7e8f9010a1b2c3d";
  regression.base.subject = "mm: Before";
  regression.head.commit_id = "9f8e7d6c5b4a39281706f5e4d3c2b1a091827364";
  regression.head.subject = "mm/swap: Batch the writes";
  regression.head.author = "Huang, Ying <ying.huang@example.org>";
  regression.head.branches = {"mm-unstable"};
  regression.metrics = {Headline(Verdict::kRegression, -0.0984)};
  regression.facts.cpu_count = 36;
  regression.facts.socket_count = 2;
  regression.facts.cpu_model = "Intel(R) Xeon(R) CPU E5-2699 v3 @ 2.30GHz";
  regression.facts.memory_size_bytes = 64LL << 30;
  // date -u -d @1764504303: Sun Nov 30 12:05:03 UTC 2025.
  regression.update_time = model::Time(std::chrono::seconds(1764504303));
  return regression;
}

model::ComparisonBlock ExampleBlock() {
  BlockBuilder builder;
  builder.AddRow("vm-scalability.throughput", {3212076, 3212076}, {2896000, 2896000},
                 Verdict::kRegression);
  return builder.block();
}

std::string HeadersOf(const Mail& mail) {
  return mail.rfc5322.substr(0, mail.rfc5322.find("\n\n") + 1);
}

TEST(TitleTest, SaysTheChangeTheVerdictAndTheMetric) {
  // lkp.md section 7: regressions with their sign, improvements without.
  EXPECT_EQ(Title(Headline(Verdict::kRegression, -0.0984)),
            "-9.8% regression of vm-scalability.throughput");
  EXPECT_EQ(Title(Headline(Verdict::kRegression, 0.12)),
            "+12.0% regression of vm-scalability.throughput");
  EXPECT_EQ(Title(Headline(Verdict::kImprovement, 0.947)),
            "94.7% improvement of vm-scalability.throughput");
  EXPECT_EQ(Title(Headline(Verdict::kImprovement, -0.25)),
            "25.0% improvement of vm-scalability.throughput");
  EXPECT_EQ(Title(Headline(Verdict::kChanged, 0.5)), "+50.0% change of vm-scalability.throughput");
}

TEST(TitleTest, NamesBothLevelsWhenThereIsNoPercentage) {
  auto headline = Headline(Verdict::kRegression, std::nullopt);
  headline.judgement.base.mean = 0;
  headline.judgement.head.mean = 12.5;
  EXPECT_EQ(Title(headline), "regression of vm-scalability.throughput from 0.00 to 12.50");
}

TEST(TitleTest, NeverRoundsAChangeToNothing) {
  EXPECT_EQ(Title(Headline(Verdict::kRegression, -0.0004)),
            "-0.04% regression of vm-scalability.throughput");
}

TEST(RenderMailTest, HasTheRobotsSubjectForACommit) {
  EXPECT_EQ(RenderMail(Example(), ExampleBlock(), {}).subject,
            "[mm-unstable] [mm/swap]  9f8e7d6c5b: vm-scalability.throughput -9.8% regression");
  auto plain = Example();
  plain.head.branches.clear();
  EXPECT_EQ(RenderMail(plain, ExampleBlock(), {}).subject,
            "[mm/swap]  9f8e7d6c5b: vm-scalability.throughput -9.8% regression");
  plain.head.subject = "Revert something";
  EXPECT_EQ(RenderMail(plain, ExampleBlock(), {}).subject,
            "9f8e7d6c5b: vm-scalability.throughput -9.8% regression");
}

TEST(RenderMailTest, CarriesTheJobAsLinesThatAShellTakes) {
  model::ComparisonBlock block = ExampleBlock();
  block.columns[1].command = {"./run"};
  block.columns[1].job_toml = "testcase = \"t\"\n\n[params]\nnr_task = \"8\"\n";
  block.columns[0].job_toml = "testcase = \"t\"\ncommit = \"v1\"\n\n[params]\nnr_task = \"8\"\n";
  const std::string body = RenderMail(Example(), block, {}).body;
  EXPECT_THAT(body, HasSubstr("\tcat >job.toml <<-'JOB'\n"
                              "\ttestcase = \"t\"\n\n\t[params]\n\tnr_task = \"8\"\n\tJOB\n"
                              "\tregress-agent run --job job.toml\n"
                              "\tregress-agent run --job job.toml --commit "
                              "1b2c3d4e5f60718293a4b5c6d7e8f9010a1b2c3d\n"));
}

TEST(RenderMailTest, EachSideHasItsOwnJobWhenTheyDifferInMoreThanTheCommit) {
  model::ComparisonBlock block = ExampleBlock();
  block.columns[1].job_toml = "commit = \"v2\"\ncommand = [\"./w\", \"70\"]\n";
  block.columns[0].job_toml = "commit = \"v1\"\ncommand = [\"./w\", \"100\"]\n";
  std::string body = RenderMail(Example(), block, {}).body;
  EXPECT_THAT(body, HasSubstr("the two differ in more than the commit:\n\n"
                              "\tcat >head.toml <<-'JOB'\n"
                              "\tcommit = \"v2\"\n\tcommand = [\"./w\", \"70\"]\n\tJOB\n"
                              "\tcat >base.toml <<-'JOB'\n"
                              "\tcommit = \"v1\"\n\tcommand = [\"./w\", \"100\"]\n\tJOB\n"
                              "\tregress-agent run --job head.toml\n"
                              "\tregress-agent run --job base.toml\n"));
  block.columns[0].job_toml.clear();
  body = RenderMail(Example(), block, {}).body;
  EXPECT_THAT(body, HasSubstr("\tregress-agent run --job head.toml\n\n"));
  EXPECT_EQ(body.find("base.toml"), std::string::npos) << "what the base ran is not known";
}

TEST(RenderMailTest, AJobThatAShellOrAMailWouldChangeIsLeftOut) {
  model::ComparisonBlock block = ExampleBlock();
  block.columns[1].command = {"./run"};
  for (const std::string& job : {std::string("JOB\nrm -rf x\n"), std::string("a = \"\x1b[2J\"\n"),
                                 "a = \"" + std::string(2000, 'x') + "\"\n"}) {
    block.columns[1].job_toml = job;
    const std::string body = RenderMail(Example(), block, {}).body;
    EXPECT_THAT(body, HasSubstr("\n\t  -- ./run\n"));
    EXPECT_EQ(body.find("job.toml"), std::string::npos);
  }
}

TEST(RenderMailTest, ARetractedRegressionIsTakenBackAndNotToldAgain) {
  model::Regression retracted = Example();
  retracted.state = model::RegressionState::kRetracted;
  const Mail mail = RenderMail(retracted, ExampleBlock(), {});
  EXPECT_THAT(mail.subject, HasSubstr("-9.8% regression (retracted)"));
  EXPECT_THAT(mail.body, HasSubstr("regressd takes back a -9.8% regression of "
                                   "vm-scalability.throughput on:"));
  EXPECT_THAT(mail.body, HasSubstr("It is no longer found"));
  EXPECT_THAT(mail.body, Not(HasSubstr("noticed")));
  EXPECT_THAT(mail.body, Not(HasSubstr("Reported-by")));
}

TEST(RenderMailTest, AClosedRegressionSaysWhatBecameOfIt) {
  model::Regression closed = Example();
  closed.state = model::RegressionState::kFixed;
  EXPECT_THAT(RenderMail(closed, ExampleBlock(), {}).body, HasSubstr("A later commit has mended"));
  closed.state = model::RegressionState::kFalsePositive;
  const std::string body = RenderMail(closed, ExampleBlock(), {}).body;
  EXPECT_THAT(body, HasSubstr("marked as a false positive"));
  EXPECT_THAT(body, Not(HasSubstr("Reported-by")));
}

TEST(RenderMailTest, AllNumbersAreThoseOfTheTable) {
  // The regression was stored with 5 runs a side; meanwhile a sixth of the head has ended.
  model::ComparisonBlock block = ExampleBlock();
  model::Judgement& judgement = *block.rows[0].cells[1].judgement;
  judgement.base = {.run_count = 5, .mean = 3200000, .sample_stddev = 1};
  judgement.head = {.run_count = 6, .mean = 2800000, .sample_stddev = 1};
  judgement.relative_change = -0.125;  // 2800000 / 3200000 - 1.
  const Mail mail = RenderMail(Example(), block, {});
  EXPECT_THAT(mail.subject, HasSubstr("-12.5% regression"));
  EXPECT_THAT(mail.body, HasSubstr("noticed a -12.5% regression"));
  EXPECT_THAT(mail.body, HasSubstr("\thead: mean 2800000 KiB/s, sample stddev 1.00, 6 runs\n"));
  EXPECT_THAT(mail.body, Not(HasSubstr("2896000 KiB/s")));
}

TEST(RenderMailTest, RunsThatCameSinceAndSayOtherwiseAreToldApart) {
  model::ComparisonBlock block = ExampleBlock();
  model::Judgement& judgement = *block.rows[0].cells[1].judgement;
  judgement.verdict = Verdict::kUnchanged;
  judgement.reason = "not_significant";
  judgement.base.run_count = judgement.head.run_count = 9;
  const std::string body = RenderMail(Example(), block, {}).body;
  EXPECT_THAT(body, HasSubstr("is unchanged (not_significant)"));
  EXPECT_THAT(body, HasSubstr("rested on when it was found:\n\n\tbase: mean 3212076"));
  EXPECT_THAT(body,
              HasSubstr("rests on now:\n\n\tbase: mean 0.00 KiB/s, sample stddev 0.00, 9 runs"));
}

TEST(RenderMailTest, SaysWhatAMaintainerNeeds) {
  MailOptions options;
  options.base_url = "http://lkp.example.org:8080";
  model::ComparisonBlock block = ExampleBlock();
  block.columns[1].command = {"./run", "swap w seq", "8"};
  const std::string body = RenderMail(Example(), block, options).body;
  EXPECT_THAT(body, StartsWith("Hello,\n\nregressd noticed a -9.8% regression of "
                               "vm-scalability.throughput on:\n\n"
                               "commit: 9f8e7d6c5b4a39281706f5e4d3c2b1a091827364 "
                               "(\"mm/swap: Batch the writes\")\n"
                               "branch: mm-unstable\n"
                               "base: 1b2c3d4e5f60718293a4b5c6d7e8f9010a1b2c3d (\"mm: Before\")\n"
                               "compared: 3 runs of the base, 3 runs of the commit\n\n"
                               "testcase: vm-scalability\n"
                               "test machine: 36 threads 2 sockets Intel(R) Xeon(R) CPU E5-2699 "
                               "v3 @ 2.30GHz with 64G memory\n"
                               "parameters:\n\n\ttest: swap-w-seq\n\tnr_task: 8\n\n"));
  EXPECT_THAT(body, HasSubstr("\tbase: mean 3212076 KiB/s, sample stddev 30000, 5 runs\n"));
  EXPECT_THAT(body,
              HasSubstr("\tq value: 0.0012 (limit 0.05; false discovery rate over 312 metrics)\n"));
  EXPECT_THAT(body, HasSubstr("| Reported-by: regressd <regressd@localhost>\n"
                              "| Closes: https://lore.kernel.org/r/regression.17."));
  EXPECT_THAT(body, HasSubstr("\n\t  -- ./run 'swap w seq' 8\n"));
  EXPECT_THAT(
      body, HasSubstr("   3212076            -9.8%    2896000        vm-scalability.throughput\n"));
  EXPECT_THAT(body, HasSubstr("\n  http://lkp.example.org:8080/r/17\n"));
}

TEST(RenderMailTest, WritesHeadersThatListsExpect) {
  const Mail mail = RenderMail(Example(), ExampleBlock(), {});
  const std::string headers = HeadersOf(mail);
  EXPECT_THAT(headers, HasSubstr("From: regressd <regressd@localhost>\n"
                                 "To: \"Huang, Ying\" <ying.huang@example.org>\n"));
  EXPECT_THAT(headers, HasSubstr("\nDate: Sun, 30 Nov 2025 12:05:03 +0000\n"));
  EXPECT_THAT(headers, HasSubstr("\nContent-Type: text/plain; charset=utf-8\n"
                                 "Content-Transfer-Encoding: 8bit\n"
                                 "Auto-Submitted: auto-generated\n"));
  EXPECT_THAT(headers, HasSubstr("\nMessage-ID: <" + mail.message_id + ">\n"));
  EXPECT_THAT(headers, Not(HasSubstr("In-Reply-To")));
}

TEST(RenderMailTest, RepliesToThePatch) {
  auto regression = Example();
  auto& patch = regression.head.patch.emplace();
  patch.message_id = "20160825.1@example.org";
  patch.base_commit_id = regression.base.commit_id;
  patch.subject = "[PATCH v2 3/7] mm/swap: Batch\n the writes";
  patch.author = "Jürgen <j@example.org>";
  const Mail mail = RenderMail(regression, ExampleBlock(), {});
  EXPECT_EQ(mail.subject, "Re: [PATCH v2 3/7] mm/swap: Batch the writes");
  EXPECT_THAT(HeadersOf(mail), HasSubstr("\nTo: =?utf-8?q?J=C3=BCrgen?= <j@example.org>\n"));
  EXPECT_THAT(HeadersOf(mail), HasSubstr("\nIn-Reply-To: <20160825.1@example.org>\n"
                                         "References: <20160825.1@example.org>\n"));
  EXPECT_THAT(mail.body, HasSubstr("regression of vm-scalability.throughput with this patch:\n"));
  // The agent's own options for a patch; a patch's id is nothing that --commit takes.
  EXPECT_THAT(mail.body, HasSubstr("--patch-message-id 20160825.1@example.org"));
  EXPECT_THAT(mail.body, HasSubstr("--patch-base " + regression.base.commit_id));
}

TEST(RenderMailTest, IsTheSameMailWheneverItIsWritten) {
  auto later = Example();
  later.update_time += std::chrono::hours(5);
  later.state = model::RegressionState::kConfirmed;
  EXPECT_EQ(RenderMail(Example(), ExampleBlock(), {}).message_id,
            RenderMail(later, ExampleBlock(), {}).message_id);
  auto other = Example();
  other.head.commit_id[0] = 'a';
  EXPECT_NE(RenderMail(Example(), ExampleBlock(), {}).message_id,
            RenderMail(other, ExampleBlock(), {}).message_id);
}

TEST(RenderMailTest, AsksForNoTagsWhenNothingGotWorse) {
  auto regression = Example();
  regression.metrics = {Headline(Verdict::kImprovement, 0.947)};
  const Mail mail = RenderMail(regression, ExampleBlock(), {});
  EXPECT_THAT(mail.body, HasSubstr("noticed a 94.7% improvement of"));
  EXPECT_THAT(mail.body, Not(HasSubstr("Reported-by")));
}

TEST(RenderMailTest, LetsNoInputAddAHeader) {
  auto regression = Example();
  const std::string attack = "x\r\nBcc: victim@example.org\r\n\r\nbody";
  regression.head.subject = attack;
  regression.head.author = attack + " <a@b.org>";
  regression.head.branches = {attack};
  regression.head.commit_id = attack;
  regression.base.commit_id = attack;
  regression.axes.Set("testcase", attack);
  regression.metrics[0].metric.name = attack;
  MailOptions options;
  options.bot_name = attack;
  options.bot_address = attack;
  options.base_url = attack;
  auto patched = regression;
  auto& patch = patched.head.patch.emplace();
  patch.subject = patch.author = patch.message_id = patch.base_commit_id = attack;
  for (const auto& evil : {regression, patched}) {
    const Mail mail = RenderMail(evil, ExampleBlock(), options);
    EXPECT_EQ(mail.rfc5322.find('\r'), std::string::npos);
    std::istringstream headers(HeadersOf(mail));
    for (std::string line; std::getline(headers, line);) {
      EXPECT_THAT(line, Not(StartsWith("Bcc")));
      EXPECT_THAT(line, MatchesRegex("([A-Z][A-Za-z-]+: .*| .+)"));
    }
    EXPECT_THAT(HeadersOf(mail), HasSubstr("\nAuto-Submitted: auto-generated\n"));
  }
}

TEST(RenderMailTest, EncodesLinesThatNoHopTakes) {
  auto block = ExampleBlock();
  block.rows[0].metric.name = "vm-scalability." + std::string(1200, 'x');
  const Mail mail = RenderMail(Example(), block, {});
  EXPECT_THAT(HeadersOf(mail), HasSubstr("\nContent-Transfer-Encoding: quoted-printable\n"));
  std::istringstream lines(mail.rfc5322);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 98u);
}

TEST(ToMboxTest, EscapesFromLinesReversibly) {
  Mail mail;
  mail.rfc5322 = "Subject: x\n\nFrom here\n>From there\n>>From both\nFromage\n";
  EXPECT_EQ(ToMbox(mail, Example()),
            "From MAILER-DAEMON Sun Nov 30 12:05:03 2025\nSubject: x\n\n"
            ">From here\n>>From there\n>>>From both\nFromage\n\n");
}

TEST(MachineLineTest, LeavesOutWhatIsNotKnown) {
  model::MachineFacts facts;
  EXPECT_EQ(MachineLine(facts), "");
  facts.cpu_count = 1;
  facts.memory_size_bytes = 512 << 20;
  EXPECT_EQ(MachineLine(facts), "1 thread with 512M memory");
}

}  // namespace
}  // namespace regressd::report
