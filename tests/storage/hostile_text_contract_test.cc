// Names come from test machines and mails: any text is kept as it is or refused, never obeyed.

#include "tests/storage/contract_fixture.h"

namespace regressd::storage {
namespace {

using ::testing::SizeIs;

using HostileTextContractTest = StoreContractTest;

std::vector<std::string> HostileTexts() {
  std::string emoji;
  while (emoji.size() < 512) emoji += "\xF0\x9F\x90\xA7";  // 512 bytes of penguins.
  return {"'; DROP TABLE run; --",
          "$1",
          "NULL",
          "{\"a\",b}",
          "\\",
          "\"",
          "%_",
          "{}",
          " leading and trailing ",
          "\xE2\x80\xAE"
          "reversed",
          std::string(512, 'x'),
          emoji};
}

TEST_F(HostileTextContractTest, AnyUtf8TextComesBackAsItIs) {
  for (const std::string& text : HostileTexts()) {
    SCOPED_TRACE(text);
    model::RunSpec spec = NewSpec(text, AxesOf({{"testcase", text}, {text, ""}}));
    spec.facts.testbox = text;
    spec.facts.settings = {{text, text}};
    spec.commit.subject = text;
    spec.commit.trailers = {text, text};
    spec.command = {text, ""};
    Finish(spec, {{text, 1}});
    ASSERT_TRUE(runs().Exclude(spec.key.run_id, text, text).ok());

    const auto run = runs().GetRun(spec.key.uuid);
    ASSERT_TRUE(run.ok()) << run.status();
    EXPECT_EQ(run->spec.axes.list(), spec.axes.list());
    EXPECT_EQ(run->spec.commit.commit_id, text);
    EXPECT_EQ(run->spec.commit.subject, text);
    EXPECT_EQ(run->spec.commit.trailers, spec.commit.trailers);
    EXPECT_EQ(run->spec.facts, spec.facts);
    EXPECT_EQ(run->spec.command, spec.command);
    EXPECT_EQ(run->exclude_reason, text);
    EXPECT_EQ(run->excluded_by, text);
    ASSERT_THAT(*runs().ListRunValues(spec.key.run_id), SizeIs(1));
    EXPECT_EQ(runs().ListRunValues(spec.key.run_id)->front().noun->metric.name, text);
    EXPECT_THAT(ReadAll(spec.key.run_id, {text}), SizeIs(1));

    RunFilter filter;
    filter.axes = AxesOf({{text, ""}});
    filter.commit_id = text;
    filter.testbox = text;
    EXPECT_THAT(*runs().ListRuns(filter, std::nullopt, 10), SizeIs(1));
    EXPECT_EQ(commits().Resolve(text)->commit_id, text);
    GroupFilter groups;
    groups.commit_ids = {text};
    EXPECT_THAT(*runs().LoadGroups(groups), SizeIs(1));
  }
}

TEST_F(HostileTextContractTest, FindingsAndCommentsKeepAnyText) {
  for (const std::string& text : HostileTexts()) {
    SCOPED_TRACE(text);
    FinishNew("head-" + text);
    model::Regression found;
    found.title = text;
    found.headline_metric = text;
    found.metrics.emplace_back().metric.name = text;
    found.metrics.back().metric.unit = text;
    found.metrics.back().judgement.reason = text;
    found.metrics.back().judgement.rule = text;
    ProcessAll([&](const DueGroup& group) -> absl::StatusOr<std::vector<Detection>> {
      return std::vector{Detection{.axes_id = group.axes_id,
                                   .base_commit_id = text,
                                   .head_commit_id = group.commit_id,
                                   .regression = found}};
    });
    const auto listed = regressions().ListRegressions({}, std::nullopt, 1);
    ASSERT_THAT(*listed, SizeIs(1));
    const std::int64_t id = listed->front().position.regression_id;
    ASSERT_TRUE(
        regressions().SetState(id, model::RegressionState::kFixed, text, text, std::nullopt).ok());
    const auto stored = regressions().GetRegression(id);
    ASSERT_TRUE(stored.ok()) << stored.status();
    EXPECT_EQ(stored->regression.title, text);
    EXPECT_EQ(stored->regression.base.commit_id, text);
    EXPECT_EQ(stored->regression.head.commit_id, "head-" + text);
    EXPECT_EQ(stored->regression.metrics, found.metrics);
    EXPECT_EQ(stored->events.back().comment, text);
    EXPECT_EQ(stored->events.back().created_by, text);
  }
}

TEST_F(HostileTextContractTest, TextThatCannotBeStoredIsRefused) {
  const model::RunSpec good = FinishNew("abc");
  ProcessAll([&](const DueGroup& group) -> absl::StatusOr<std::vector<Detection>> {
    return std::vector{Detection{.axes_id = group.axes_id,
                                 .base_commit_id = "base",
                                 .head_commit_id = group.commit_id,
                                 .regression = model::Regression{}}};
  });
  const std::int64_t id = *regressions().LastEventId();
  const auto refused = HasCode(absl::StatusCode::kInvalidArgument);
  // A NUL; a stray continuation byte; an overlong '/'; half a surrogate pair.
  for (const std::string& text : {std::string("a\0b", 3), std::string("a\x80"),
                                  std::string("\xC0\xAF"), std::string("\xED\xA0\x80")}) {
    SCOPED_TRACE(text);
    EXPECT_THAT(ingest().OpenRun(NewSpec("abc", AxesOf({{"testcase", text}})), "bot").status(),
                refused);
    EXPECT_THAT(ingest().OpenRun(NewSpec(text), "bot").status(), refused);
    const auto opened = ingest().OpenRun(NewSpec("abc"), "bot");
    const model::RunSpec spec = NewSpec("abc");
    ASSERT_TRUE(ingest().OpenRun(spec, "bot").ok());
    EXPECT_THAT(ingest().DeclareSource(spec.key.run_id, 1, DoubleSource(1, {text})).status(),
                refused);
    EXPECT_THAT(ingest().AddStacks(spec.key.run_id, std::vector{text}), refused);
    EXPECT_THAT(commits().AddCommits(std::vector{CommitOf(text)}, "bot").status(), refused);
    EXPECT_THAT(commits().AddCommits(std::vector{CommitOf("x")}, text).status(), refused);
    EXPECT_THAT(commits().Resolve(text).status(), refused);
    EXPECT_THAT(runs().GetRun(text + "0000").status(), refused);
    EXPECT_THAT(runs().Exclude(good.key.run_id, text, "ann").status(), refused);
    EXPECT_THAT(runs().Exclude(good.key.run_id, "noisy", text).status(), refused);
    EXPECT_THAT(regressions()
                    .SetState(id, model::RegressionState::kFixed, text, "ann", std::nullopt)
                    .status(),
                refused);
  }
  EXPECT_EQ(runs().GetRun(good.key.uuid)->exclude_reason, "");
}

}  // namespace
}  // namespace regressd::storage
