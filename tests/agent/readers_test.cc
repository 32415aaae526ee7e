#include "services/agent/readers/readers.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace regressd::agent {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<ResultReader> Make(std::string_view name, const ReaderContext& context = {}) {
  absl::StatusOr<std::unique_ptr<ResultReader>> reader = MakeReader(name, context);
  EXPECT_TRUE(reader.ok()) << reader.status();
  return reader.ok() ? *std::move(reader) : nullptr;
}

TEST(ReadersTest, EveryReaderOfTheListCanBeMade) {
  std::set<std::string_view> names;
  for (const ReaderChoice& choice : AllReaders()) {
    EXPECT_EQ(Make(choice.name)->name(), choice.name);
    EXPECT_TRUE(names.insert(choice.name).second) << choice.name;
  }
  EXPECT_EQ(AllReaders().front().name, "name-value");
}

TEST(ReadersTest, AnUnknownReaderIsRefusedWithAllThatThereAre) {
  const absl::Status status = MakeReader("vmscale", {}).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("\"vmscale\""));
  EXPECT_THAT(std::string(status.message()), HasSubstr("vm-scalability"));
}

TEST(ReadersTest, EachReaderSeesItsOwnKindOfLine) {
  const std::pair<std::string_view, std::string_view> lines[] = {
      {"name-value", "throughput 5 KB/s"},
      {"vm-scalability", "1024000 bytes / 1000000 usecs = 1000 KB/s"},
      {"gnu-time", "1.00user 2.00system 0:03.00elapsed 99%CPU"}};
  for (const auto& [name, line] : lines) {
    const auto reader = Make(name);
    reader->TakeLine(OutputStream::kStdout, "something else first");
    reader->TakeLine(OutputStream::kStdout, line);
    const parse::BenchmarkResults results = reader->Finish();
    EXPECT_EQ(results.failure, "") << name;
    EXPECT_FALSE(results.results.empty()) << name;
  }
}

TEST(ReadersTest, OutputWithoutAResultFailsAndShowsItsLastLine) {
  for (const ReaderChoice& choice : AllReaders()) {
    if (choice.needs_files) continue;
    const auto reader = Make(choice.name);
    for (int i = 0; i < 11; ++i) reader->TakeLine(OutputStream::kStdout, "allocating memory now");
    reader->TakeLine(OutputStream::kStdout, "Killed for want of memory");
    reader->TakeLine(OutputStream::kStdout, "  ");
    EXPECT_EQ(reader->Finish().failure,
              fmt::format("reader {}: no result in 13 lines of output; the last was: \"Killed for "
                          "want of memory\"",
                          choice.name));
  }
}

TEST(ReadersTest, NoOutputAtAllFails) {
  EXPECT_EQ(Make("vm-scalability")->Finish().failure, "reader vm-scalability: no output at all");
  const auto reader = Make("mmtests");
  reader->TakeFile("logs/x.txt", "");
  EXPECT_EQ(reader->Finish().failure, "reader mmtests: no output at all in 1 file");
}

TEST(ReadersTest, AWrongLineFailsWithItsPlace) {
  const auto reader = Make("name-value");
  reader->TakeLine(OutputStream::kStdout, "good 1");
  reader->TakeLine(OutputStream::kStderr, "bad 1x");
  reader->TakeLine(OutputStream::kStdout, "throughput 12,5 KB/s");
  EXPECT_EQ(reader->Finish().failure,
            "reader name-value: stdout line 2: \"throughput 12,5 KB/s\" looks like a result, but "
            "its value is no finite decimal number");
}

TEST(ReadersTest, AFilesLinesAreCalledByItsName) {
  const auto reader = Make("vm-scalability");
  reader->TakeFile("a.log", "1024000 bytes / 1000000 usecs = 1000 KB/s\n");
  reader->TakeFile("b.log", "\n1024000 bytes / 1000000 usecs = 1 KB/s\n");
  EXPECT_THAT(reader->Finish().failure, HasSubstr("reader vm-scalability: b.log line 2"));
}

TEST(ReadersTest, WillItScaleLearnsItsTasksFromTheRun) {
  constexpr const char* kLines[] = {"testcase:x", "warmup", "measurement", "min:1 max:3 total:800",
                                    "average:800"};
  ReaderContext context;
  context.axes.Set("nr_task", "8");
  context.axes.Set("mode", "thread");
  const auto reader = Make("will-it-scale", context);
  for (const char* line : kLines) reader->TakeLine(OutputStream::kStdout, line);
  const parse::BenchmarkResults results = reader->Finish();
  ASSERT_EQ(results.results.size(), 3u);
  EXPECT_EQ(results.results[0].name, "8.threads");
  EXPECT_EQ(results.results[1].name, "per_thread_ops");
  EXPECT_EQ(results.results[1].value, 100);

  context.axes.Set("nr_task", "50%");
  const auto share = Make("will-it-scale", context);
  for (const char* line : kLines) share->TakeLine(OutputStream::kStdout, line);
  EXPECT_EQ(share->Finish().results[0].name, "total_ops");
}

}  // namespace
}  // namespace regressd::agent
