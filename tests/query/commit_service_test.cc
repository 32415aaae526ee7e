#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/query/query_fixture.h"

namespace regressd::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class CommitServiceTest : public QueryTest {
 protected:
  grpc::Status Add(const v1::AddCommitsRequest& request, v1::AddCommitsResponse* response) {
    grpc::ClientContext context;
    return commits_->AddCommits(&context, request, response);
  }
  grpc::Status Get(const std::string& name, v1::GetCommitResponse* response) {
    grpc::ClientContext context;
    v1::GetCommitRequest request;
    request.set_commit(name);
    return commits_->GetCommit(&context, request, response);
  }
};

const char kId[] = "0123456789abcdef0123456789abcdef01234567";

TEST_F(CommitServiceTest, AnAddedCommitIsFoundByIdPrefixAndDescribe) {
  v1::AddCommitsRequest request;
  v1::Commit* commit = request.add_commits();
  commit->set_commit_id(kId);
  commit->set_describe("v6.12-rc3-42-g0123456789ab");
  commit->set_subject("mm: swap: do it faster");
  commit->add_parent_ids("fedcba9876543210fedcba9876543210fedcba98");
  commit->add_branches("mm-unstable");
  v1::AddCommitsResponse added;
  ASSERT_TRUE(Add(request, &added).ok());
  EXPECT_EQ(added.added_count(), 1);
  for (const char* name : {kId, "0123456", "v6.12-rc3-42-g0123456789ab"}) {
    v1::GetCommitResponse response;
    const grpc::Status status = Get(name, &response);
    ASSERT_TRUE(status.ok()) << name << ": " << status.error_message();
    EXPECT_EQ(response.commit().SerializeAsString(), commit->SerializeAsString()) << name;
  }
}

TEST_F(CommitServiceTest, AddingAgainChangesNothingAndOtherParentsAreRefused) {
  v1::AddCommitsRequest request;
  v1::Commit* commit = request.add_commits();
  commit->set_commit_id(kId);
  commit->add_parent_ids("p1");
  v1::AddCommitsResponse response;
  ASSERT_TRUE(Add(request, &response).ok());
  response.Clear();
  ASSERT_TRUE(Add(request, &response).ok());
  EXPECT_EQ(response.unchanged_count(), 1);
  commit->set_parent_ids(0, "p2");
  EXPECT_EQ(Add(request, &response).error_code(), grpc::StatusCode::ALREADY_EXISTS);
}

TEST_F(CommitServiceTest, APatchIsFoundByItsMessageId) {
  v1::AddCommitsRequest request;
  v1::Patch* patch = request.add_commits()->mutable_patch();
  patch->set_message_id("20261130.1@example.org");
  patch->set_base_commit_id("v6.12");
  v1::AddCommitsResponse added;
  ASSERT_TRUE(Add(request, &added).ok());
  v1::GetCommitResponse response;
  ASSERT_TRUE(Get("20261130.1@example.org", &response).ok());
  EXPECT_EQ(response.commit().commit_id(), "patch:20261130.1@example.org@v6.12");
  EXPECT_EQ(response.commit().patch().total(), 1);
}

TEST_F(CommitServiceTest, EveryWrongFieldIsNamed) {
  v1::AddCommitsRequest request;
  request.add_commits()->set_subject("two\nlines");
  v1::Commit* own_parent = request.add_commits();
  own_parent->set_commit_id("x");
  v1::AddCommitsResponse response;
  grpc::Status status = Add(request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(BadFields(status), "commits[0].commit_id commits[0].subject");

  request.mutable_commits()->DeleteSubrange(0, 1);
  request.mutable_commits(0)->add_parent_ids("x");
  status = Add(request, &response);
  EXPECT_EQ(BadFields(status), "commits[0].parent_ids[0]");
  EXPECT_EQ(BadFields(Add(v1::AddCommitsRequest(), &response)), "commits");
}

TEST_F(CommitServiceTest, AnUnknownCommitIsNotFoundWithNearNames) {
  v1::AddCommitsRequest request;
  request.add_commits()->set_commit_id("v6.12-rc1");
  v1::AddCommitsResponse added;
  ASSERT_TRUE(Add(request, &added).ok());
  v1::GetCommitResponse response;
  const grpc::Status status = Get("v6.12-rc2", &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(status.error_message(), HasSubstr("v6.12-rc1"));
  EXPECT_EQ(BadFields(Get("", &response)), "commit");
}

TEST_F(CommitServiceTest, PagesOfCommitsWalkEachOnceWithItsRuns) {
  AddGroup("a", 1, {100, 101});
  AddGroup("b", 3, {100});
  AddRun({.number = 4, .commit_id = "c", .fails = true});
  v1::ListCommitsRequest request;
  request.set_page_size(2);
  std::vector<std::pair<std::string, std::int64_t>> walked;
  do {
    grpc::ClientContext context;
    v1::ListCommitsResponse response;
    ASSERT_TRUE(commits_->ListCommits(&context, request, &response).ok());
    EXPECT_LE(response.commits_size(), 2);
    for (const auto& entry : response.commits()) {
      walked.emplace_back(entry.commit().commit_id(), entry.run_count());
    }
    request.set_page_token(response.next_page_token());
  } while (!request.page_token().empty());
  EXPECT_THAT(walked,
              ElementsAre(testing::Pair("c", 0), testing::Pair("b", 1), testing::Pair("a", 2)));
}

TEST_F(CommitServiceTest, ANegativePageSizeAndAForeignTokenAreRefused) {
  v1::ListCommitsRequest request;
  request.set_page_size(-1);
  v1::ListCommitsResponse response;
  {
    grpc::ClientContext context;
    EXPECT_EQ(BadFields(commits_->ListCommits(&context, request, &response)), "page_size");
  }
  request.set_page_size(0);
  request.set_page_token("bm90IG91cnM");
  grpc::ClientContext context;
  EXPECT_EQ(BadFields(commits_->ListCommits(&context, request, &response)), "page_token");
}

}  // namespace
}  // namespace regressd::test
