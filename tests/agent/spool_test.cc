#include "services/agent/spool.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "tests/agent/spool_builder.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;
using testing::MakeBatch;
using testing::MakeEnd;
using testing::MakeHello;
using testing::MakeSource;

class SpoolTest : public ::testing::Test {
 protected:
  SpoolTest() : directory_(*PrivateDirectory::Create()) {}

  SpoolOptions Options() const { return {.directory = directory_.path()}; }

  std::unique_ptr<Spool> MakeFilled(int batch_count) {
    std::unique_ptr<Spool> spool = *Spool::Create(Options(), MakeHello());
    EXPECT_EQ(spool->Declare(MakeSource(1)), absl::OkStatus());
    for (int seq = 1; seq <= batch_count; ++seq) spool->Append(MakeBatch(1, seq));
    return spool;
  }

  PrivateDirectory directory_;
};

v1::Resume ResumeAt(std::int64_t last_seq) {
  v1::Resume resume;
  v1::Ack& cursor = *resume.add_cursors();
  cursor.set_source_id(1);
  cursor.set_last_seq(last_seq);
  return resume;
}

/// Takes everything up to and with the end, acknowledging at once.
std::vector<v1::PushRequest> Drain(Spool& spool, const v1::Resume& resume = {}) {
  std::vector<v1::PushRequest> messages = spool.BeginStream(resume);
  const std::atomic<bool> interrupted = false;
  while (std::optional<v1::PushRequest> message = spool.Next({}, interrupted)) {
    messages.push_back(*message);
    v1::Ack ack;
    if (message->has_batch()) {
      ack.set_source_id(message->batch().source_id());
      ack.set_last_seq(message->batch().first_seq() + message->batch().sample_count() - 1);
      spool.Acknowledge(ack);
    }
    if (message->has_gap()) {
      ack.set_source_id(message->gap().source_id());
      ack.set_last_seq(message->gap().first_seq() + message->gap().count() - 1);
      spool.Acknowledge(ack);
    }
  }
  return messages;
}

/// The numbers of source 1 in order; -n for a gap of n.
std::vector<std::int64_t> Numbers(const std::vector<v1::PushRequest>& messages) {
  std::vector<std::int64_t> numbers;
  for (const v1::PushRequest& message : messages) {
    if (message.has_batch()) numbers.push_back(message.batch().first_seq());
    if (message.has_gap()) numbers.push_back(-message.gap().count());
  }
  return numbers;
}

std::string ReadAll(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)), {});
}

void WriteAll(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

TEST_F(SpoolTest, GivesWhatItTookInOrderAndTheEndLast) {
  const auto spool = MakeFilled(3);
  spool->End(MakeEnd());
  const std::vector<v1::PushRequest> messages = Drain(*spool);
  ASSERT_EQ(messages.size(), 5u);
  EXPECT_TRUE(messages.front().has_source());
  EXPECT_EQ(Numbers(messages), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_TRUE(messages.back().has_end());
}

TEST_F(SpoolTest, ANewStreamBeginsBehindTheServersCursor) {
  const auto spool = MakeFilled(5);
  spool->End(MakeEnd());
  EXPECT_EQ(Numbers(Drain(*spool, ResumeAt(3))), (std::vector<std::int64_t>{4, 5}));
}

TEST_F(SpoolTest, IsPrivateAndHeldByOneProcess) {
  const auto spool = MakeFilled(1);
  EXPECT_EQ(fs::status(spool->path()).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_TRUE(absl::IsFailedPrecondition(Spool::Recover(spool->path(), Options()).status()));
}

TEST_F(SpoolTest, ADeadAgentsSpoolIsThereAgainByteForByte) {
  auto spool = MakeFilled(40);
  const fs::path path = spool->path();
  const std::string hello = spool->hello().SerializeAsString();
  spool.reset();
  spool = *Spool::Recover(path, Options());
  EXPECT_EQ(spool->hello().SerializeAsString(), hello);
  EXPECT_FALSE(spool->has_end());
  spool->End(MakeEnd());
  const std::vector<v1::PushRequest> messages = Drain(*spool, ResumeAt(38));
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[1].SerializeAsString(), MakeBatch(1, 39).SerializeAsString());
  EXPECT_EQ(messages[2].SerializeAsString(), MakeBatch(1, 40).SerializeAsString());
}

TEST_F(SpoolTest, ARecordTornAtAnyByteIsCutOffAndTheOthersKept) {
  auto spool = MakeFilled(3);
  const fs::path path = spool->path();
  const auto whole_size = fs::file_size(path);
  spool->Append(MakeBatch(1, 4));
  spool.reset();
  const std::string bytes = ReadAll(path);
  for (std::size_t size = whole_size; size < bytes.size(); ++size) {
    WriteAll(path, bytes.substr(0, size));
    spool = *Spool::Recover(path, Options());
    EXPECT_EQ(fs::file_size(path), whole_size) << "cut at " << size;
    spool->Append(MakeBatch(1, 4));  // What the agent would do next goes behind the intact ones.
    spool->End(MakeEnd());
    EXPECT_EQ(Numbers(Drain(*spool)), (std::vector<std::int64_t>{1, 2, 3, 4})) << "cut at " << size;
    spool.reset();
  }
}

TEST_F(SpoolTest, ADamagedRecordIsNotSentNorWhatFollowsIt) {
  auto spool = MakeFilled(3);
  const fs::path path = spool->path();
  spool.reset();
  std::string bytes = ReadAll(path);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  WriteAll(path, bytes);
  spool = *Spool::Recover(path, Options());
  spool->End(MakeEnd());
  EXPECT_EQ(Numbers(Drain(*spool)), (std::vector<std::int64_t>{1, 2}));
}

TEST_F(SpoolTest, AnotherFileIsNoSpool) {
  const fs::path path = directory_.path() / "x.spool";
  WriteAll(path, "nothing of ours");
  EXPECT_TRUE(absl::IsDataLoss(Spool::Recover(path, Options()).status()));
}

TEST_F(SpoolTest, WhatDoesNotFitBecomesAGapInItsPlace) {
  SpoolOptions options = Options();
  options.max_bytes = 3 * MakeBatch(1, 1).ByteSizeLong() + 4;
  const auto spool = *Spool::Create(options, MakeHello());
  EXPECT_EQ(spool->Declare(MakeSource(1)), absl::OkStatus());
  for (int seq = 1; seq <= 10; ++seq) spool->Append(MakeBatch(1, seq));
  EXPECT_EQ(spool->stats().lost_seq_count, 7);
  // Room again: the gap of 4 to 10 stands in front of 11.
  v1::Ack ack;
  ack.set_source_id(1);
  ack.set_last_seq(3);
  const std::atomic<bool> interrupted = false;
  spool->BeginStream({});
  for (int i = 0; i < 3; ++i) spool->Next({}, interrupted);
  spool->Acknowledge(ack);
  spool->Append(MakeBatch(1, 11));
  spool->End(MakeEnd());
  EXPECT_EQ(Numbers(Drain(*spool, ResumeAt(3))), (std::vector<std::int64_t>{-7, 11}));
}

TEST_F(SpoolTest, AGapAtTheEndIsSaidBeforeTheEnd) {
  SpoolOptions options = Options();
  options.max_bytes = MakeBatch(1, 1).ByteSizeLong() + 4;
  const auto spool = *Spool::Create(options, MakeHello());
  EXPECT_EQ(spool->Declare(MakeSource(1)), absl::OkStatus());
  for (int seq = 1; seq <= 4; ++seq) spool->Append(MakeBatch(1, seq));
  spool->End(MakeEnd());
  EXPECT_EQ(Numbers(Drain(*spool)), (std::vector<std::int64_t>{1, -3}));
}

TEST_F(SpoolTest, AServerThatLostWhatItAcknowledgedIsToldOfAGap) {
  const auto spool = MakeFilled(4);
  spool->BeginStream(ResumeAt(3));
  spool->End(MakeEnd());
  EXPECT_EQ(Numbers(Drain(*spool, ResumeAt(1))), (std::vector<std::int64_t>{-2, 4}));
}

/// While it stands, no file of this process may grow beyond `size_bytes`: a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::uintmax_t size_bytes) {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old_);
    const struct rlimit limit = {.rlim_cur = size_bytes, .rlim_max = old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &old_); }

 private:
  struct rlimit old_ = {};
};

TEST_F(SpoolTest, AFullDiskLeavesTheSamplesInMemory) {
  const auto spool = MakeFilled(2);
  const auto size = fs::file_size(spool->path());
  {
    const FileSizeLimit limit(size + 10);
    spool->Append(MakeBatch(1, 3));
    spool->Append(MakeBatch(1, 4));
  }
  EXPECT_EQ(fs::file_size(spool->path()), size) << "a half record was left";
  spool->Append(MakeBatch(1, 5));
  spool->End(MakeEnd());
  EXPECT_EQ(spool->stats().lost_seq_count, 0);
  EXPECT_EQ(Numbers(Drain(*spool)), (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
}

TEST_F(SpoolTest, AFullDiskHasRoomForTheEndAndForWordOfWhatIsNotThere) {
  auto spool = MakeFilled(2);
  const fs::path path = spool->path();
  {
    const FileSizeLimit limit(fs::file_size(path) + 10);
    spool->Append(MakeBatch(1, 3));
    EXPECT_EQ(spool->Declare(MakeSource(2)), absl::OkStatus());
    spool->Append(MakeBatch(1, 4));
    spool->Append(MakeBatch(2, 1));
    EXPECT_NE(spool->disk_trouble().find(path.string() + ": No space left on device"),
              std::string::npos);
    v1::End end = MakeEnd();
    end.mutable_outcome()->set_exit_status(3);
    (*end.mutable_outcome()->mutable_monitor_notes())["x"] = std::string(100'000, 'n');
    spool->End(end);
    EXPECT_EQ(spool->Keep(), 3);
    EXPECT_EQ(spool->stats().lost_seq_count, 3);
    spool.reset();
  }
  spool = *Spool::Recover(path, Options());
  EXPECT_EQ(spool->damage(), "");
  EXPECT_TRUE(spool->has_end());
  EXPECT_EQ(spool->LastSeq(1), 4);
  const std::vector<v1::PushRequest> messages = Drain(*spool, ResumeAt(1));
  EXPECT_EQ(Numbers(messages), (std::vector<std::int64_t>{2, -2, -1}));
  EXPECT_NE(messages[3].gap().reason().find("No space left"), std::string::npos);
  EXPECT_EQ(messages[4].gap().source_id(), 2);
  // Its notes had no room; how it ended had.
  EXPECT_EQ(messages.back().end().outcome().exit_status(), 3);
  EXPECT_TRUE(messages.back().end().outcome().monitor_notes().empty());
}

TEST_F(SpoolTest, ADiskWithRoomAgainTakesWhatWaitedInMemory) {
  auto spool = MakeFilled(2);
  const fs::path path = spool->path();
  {
    const FileSizeLimit limit(fs::file_size(path) + 10);
    EXPECT_EQ(spool->Declare(MakeSource(2)), absl::OkStatus());
    spool->Append(MakeBatch(2, 1));
    spool->Append(MakeBatch(1, 3));
  }
  spool->Append(MakeBatch(1, 4));
  spool->End(MakeEnd());
  EXPECT_EQ(spool->Keep(), 0);
  spool.reset();
  spool = *Spool::Recover(path, Options());
  // The third of source 1 was written behind the fourth.
  EXPECT_EQ(Numbers(Drain(*spool)), (std::vector<std::int64_t>{1, 2, 3, 4, 1}));
}

TEST_F(SpoolTest, TheFileStaysSmallWhileTheServerKeepsUp) {
  const auto spool = *Spool::Create(Options(), MakeHello());
  EXPECT_EQ(spool->Declare(MakeSource(1)), absl::OkStatus());
  spool->BeginStream({});
  const std::atomic<bool> interrupted = false;
  v1::Ack ack;
  ack.set_source_id(1);
  std::uintmax_t largest = 0;
  // 40 MiB in all, in batches of about 40 KiB.
  for (int seq = 1; seq <= 1000; ++seq) {
    v1::PushRequest message = MakeBatch(1, seq);
    message.mutable_batch()->set_missing_bits(std::string(40'000, 'x'));
    spool->Append(message);
    ASSERT_TRUE(spool->Next({}, interrupted));
    ack.set_last_seq(seq);
    spool->Acknowledge(ack);
    largest = std::max(largest, fs::file_size(spool->path()));
  }
  EXPECT_LT(largest, 9u * 1024 * 1024);
  spool->Append(MakeBatch(1, 1001));
  spool->End(MakeEnd());
  EXPECT_EQ(Numbers(Drain(*spool, ResumeAt(1000))), (std::vector<std::int64_t>{1001}));
}

TEST_F(SpoolTest, RewritingKeepsWhatTheServerHasNot) {
  auto spool = *Spool::Create(Options(), MakeHello());
  EXPECT_EQ(spool->Declare(MakeSource(1)), absl::OkStatus());
  const auto big = [](std::int64_t seq) {
    v1::PushRequest message = MakeBatch(1, seq);
    message.mutable_batch()->set_missing_bits(std::string(100'000, 'x'));
    return message;
  };
  for (int seq = 1; seq <= 150; ++seq) spool->Append(big(seq));
  const auto before = fs::file_size(spool->path());
  v1::Ack ack;
  ack.set_source_id(1);
  ack.set_last_seq(140);
  spool->Acknowledge(ack);
  EXPECT_LT(fs::file_size(spool->path()), before / 10);
  const fs::path path = spool->path();
  spool.reset();
  spool = *Spool::Recover(path, Options());
  spool->End(MakeEnd());
  const std::vector<v1::PushRequest> messages = Drain(*spool, ResumeAt(140));
  ASSERT_EQ(Numbers(messages).size(), 10u);
  EXPECT_EQ(messages[1].SerializeAsString(), big(141).SerializeAsString());
}

TEST_F(SpoolTest, RemoveLeavesNothing) {
  const auto spool = MakeFilled(2);
  spool->Remove();
  EXPECT_TRUE(fs::is_empty(directory_.path()));
}

TEST_F(SpoolTest, ACutFileSaysWhereItIsCut) {
  auto spool = MakeFilled(3);
  EXPECT_EQ(spool->damage(), "");
  const fs::path path = spool->path();
  const auto intact_size = fs::file_size(path);
  spool->End(MakeEnd());
  const auto end_size = fs::file_size(path) - intact_size;
  spool.reset();
  std::string bytes = ReadAll(path);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  WriteAll(path, bytes);
  spool = *Spool::Recover(path, Options());
  EXPECT_FALSE(spool->has_end());
  EXPECT_EQ(spool->damage(), path.string() + " is cut at byte " + std::to_string(intact_size) +
                                 ": " + std::to_string(end_size) +
                                 " bytes from there on are damaged");
}

TEST_F(SpoolTest, ASpoolThatAnotherHasDeliveredIsNotFound) {
  EXPECT_TRUE(
      absl::IsNotFound(Spool::Recover(directory_.path() / "gone.spool", Options()).status()));
}

TEST_F(SpoolTest, TakesNoSourceThatTheServerCannotParse) {
  const auto spool = MakeFilled(1);
  v1::Source source = MakeSource(2);
  source.mutable_metrics(0)->set_name("bad\xff");
  EXPECT_TRUE(absl::IsInvalidArgument(spool->Declare(source)));
  source.mutable_metrics(0)->set_name(std::string(5 * 1024 * 1024, 'x'));
  EXPECT_TRUE(absl::IsInvalidArgument(spool->Declare(source)));
  spool->End(MakeEnd());
  EXPECT_EQ(Drain(*spool).size(), 3u);
}

TEST_F(SpoolTest, ABatchThatIsLargerThanTheServerTakesBecomesAGap) {
  const auto spool = MakeFilled(1);
  v1::PushRequest message = MakeBatch(1, 2);
  message.mutable_batch()->set_missing_bits(std::string(5 * 1024 * 1024, 'x'));
  spool->Append(message);
  spool->Append(MakeBatch(1, 3));
  spool->End(MakeEnd());
  EXPECT_EQ(Numbers(Drain(*spool)), (std::vector<std::int64_t>{1, -1, 3}));
}

TEST_F(SpoolTest, AnEndWhoseWordsTheServerCannotParseArrivesWithoutThem) {
  const auto spool = MakeFilled(1);
  v1::End end = MakeEnd();
  end.mutable_outcome()->set_exit_status(9);
  end.mutable_outcome()->add_last_output_lines("\xff");
  spool->End(end);
  const std::vector<v1::PushRequest> messages = Drain(*spool);
  ASSERT_TRUE(messages.back().has_end());
  EXPECT_EQ(messages.back().end().outcome().exit_status(), 9);
  EXPECT_EQ(messages.back().end().outcome().last_output_lines_size(), 0);
}

}  // namespace
}  // namespace regressd::agent
