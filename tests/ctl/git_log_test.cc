#include "services/ctl/git_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/ctl/program.h"

namespace regressd::ctl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A git tree of its own: a root, two branches with one commit each, and their merge.
class GitLogTest : public ::testing::Test {
 protected:
  GitLogTest() {
    Git({"init", "--quiet", "--initial-branch", "main"});
    Commit("first", "");
    Git({"checkout", "--quiet", "-b", "side"});
    Commit("mm: Größe der LRU — 表",
           "Fixes: 0123456789ab (\"mm: x\")\nReviewed-by: A B <a@b.c>\n"
           "Link: https://example.org/\n  r/1\n");
    Git({"checkout", "--quiet", "main"});
    Commit("second\n\nbody, no subject", "");
    Git({"merge", "--quiet", "--no-edit", "side"});
  }

  void Git(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"git", "-C", directory_.path()});
    const test::Ran ran = test::RunProgram(arguments, {{"GIT_AUTHOR_NAME", "Ann Author"},
                                                       {"GIT_AUTHOR_EMAIL", "ann@example.org"},
                                                       {"GIT_AUTHOR_DATE", "1700000000 +0100"},
                                                       {"GIT_COMMITTER_NAME", "Com Mitter"},
                                                       {"GIT_COMMITTER_EMAIL", "com@example.org"},
                                                       {"GIT_COMMITTER_DATE", "1700000001 +0100"},
                                                       {"GIT_CONFIG_NOSYSTEM", "1"}});
    ASSERT_EQ(ran.code, 0) << ran.error;
  }

  void Commit(const std::string& subject, const std::string& trailers) {
    Git({"commit", "--quiet", "--allow-empty", "-m", subject, "-m",
         trailers.empty() ? "text" : trailers});
  }

  std::map<std::string, model::Commit> Read(const GitRange& range) {
    std::map<std::string, model::Commit> by_subject;
    const absl::Status status = ReadCommits(range, [&](model::Commit commit) {
      by_subject[commit.subject] = std::move(commit);
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    return by_subject;
  }

  std::string Path() const { return directory_.path(); }

  regressd::testing::TemporaryDirectory directory_;
};

TEST_F(GitLogTest, ReadsTheTagsOfACommitAndNoBranches) {
  Git({"tag", "v1.0"});
  Git({"tag", "-a", "v1.0-final,x", "-m", "annotated"});
  const auto commits = Read({.repository = Path(), .range = "main"});
  EXPECT_THAT(commits.at("Merge branch 'side'").tags,
              ::testing::UnorderedElementsAre("v1.0", "v1.0-final,x"));
  EXPECT_THAT(commits.at("first").tags, IsEmpty());
}

TEST_F(GitLogTest, ReadsRootMergeAuthorAndTime) {
  const auto commits = Read({.repository = Path(), .range = "main"});
  ASSERT_THAT(commits, SizeIs(4));
  const model::Commit& first = commits.at("first");
  EXPECT_THAT(first.commit_id, SizeIs(40));
  EXPECT_TRUE(first.root);
  EXPECT_EQ(first.author, "Ann Author <ann@example.org>");
  EXPECT_EQ(first.author_time, model::Time(std::chrono::seconds(1700000000)));

  const model::Commit& second = commits.at("second");
  EXPECT_FALSE(second.root);
  EXPECT_THAT(second.parent_ids, ElementsAre(first.commit_id));
  const model::Commit& merge = commits.at("Merge branch 'side'");
  const model::Commit& side = commits.at("mm: Größe der LRU — 表");
  EXPECT_THAT(merge.parent_ids, ElementsAre(second.commit_id, side.commit_id));
}

TEST_F(GitLogTest, KeepsTheTrailersThatPointAtOtherThings) {
  const auto commits = Read({.repository = Path(), .range = "main"});
  EXPECT_THAT(commits.at("mm: Größe der LRU — 表").trailers,
              ElementsAre("Fixes: 0123456789ab (\"mm: x\")", "Link: https://example.org/ r/1"));
  EXPECT_THAT(commits.at("first").trailers, IsEmpty());
}

TEST_F(GitLogTest, ReadsOnlyTheRange) {
  const auto commits = Read({.repository = Path(), .range = "side..main ^main~1"});
  EXPECT_THAT(commits, SizeIs(1));
  EXPECT_EQ(CountCommits({.repository = Path(), .range = "side..main"}).value(), 2);
}

TEST_F(GitLogTest, DescribesByTagsWhenAsked) {
  Git({"tag", "v1", "main~1"});
  const auto commits = Read({.repository = Path(), .range = "main~1 main", .describe = true});
  EXPECT_EQ(commits.at("second").describe, "v1");
  EXPECT_THAT(commits.at("Merge branch 'side'").describe, HasSubstr("v1-2-g"));
  EXPECT_EQ(commits.at("first").describe, "");
}

TEST_F(GitLogTest, TheEndOfAShallowCloneIsNoRoot) {
  regressd::testing::TemporaryDirectory clone;
  const std::string path = clone.path() / "tree";
  const test::Ran ran =
      test::RunProgram({"git", "clone", "--quiet", "--depth", "1", "file://" + Path(), path});
  ASSERT_EQ(ran.code, 0) << ran.error;
  const auto commits = Read({.repository = path, .range = "HEAD"});
  ASSERT_THAT(commits, SizeIs(1));
  EXPECT_FALSE(commits.begin()->second.root);
}

TEST_F(GitLogTest, SpellsOutWhatWouldControlATerminal) {
  Git({"commit", "--quiet", "--allow-empty", "-m", "a \x1b[31m red \x07 subject"});
  const auto commits = Read({.repository = Path(), .range = "main~1..main"});
  ASSERT_THAT(commits, SizeIs(1));
  EXPECT_EQ(commits.begin()->first, "a \\x1b[31m red \\x07 subject");
}

TEST_F(GitLogTest, TakesNoRangeForAnOption) {
  const std::string file = Path() + "/written";
  const absl::Status status = ReadCommits({.repository = Path(), .range = "--output=" + file},
                                          [](model::Commit) { return absl::OkStatus(); });
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(GitLogTest, StopsWhenItsReaderDoes) {
  int count = 0;
  const absl::Status status =
      ReadCommits({.repository = Path(), .range = "main"}, [&](model::Commit) {
        ++count;
        return absl::UnavailableError("enough");
      });
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_EQ(count, 1);
}

TEST(GitLogErrorTest, SaysWhatGitSaid) {
  const absl::Status status = ReadCommits({.repository = "/nonexistent", .range = "HEAD"},
                                          [](model::Commit) { return absl::OkStatus(); });
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("/nonexistent"));
}

}  // namespace
}  // namespace regressd::ctl
