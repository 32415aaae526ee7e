#include "storage/ingest_stream.h"

#include <utility>

#include "storage/commit_queue.h"

namespace regressd::storage {
namespace {

// Items other than batches are small and rare; their exact weight does not matter.
constexpr std::size_t kItemBytes = 1024;

std::size_t SizeOf(const model::Source& source) {
  std::size_t bytes = kItemBytes;
  for (const model::Metric& metric : source.metrics) bytes += sizeof(metric) + metric.name.size();
  return bytes;
}

std::size_t SizeOf(const std::vector<std::string>& texts) {
  std::size_t bytes = kItemBytes;
  for (const std::string& text : texts) bytes += sizeof(text) + text.size();
  return bytes;
}

}  // namespace

bool IngestStream::Open(model::RunSpec spec, std::string created_by) {
  return queue_.Push(
      {shared_from_this(), OpenItem{std::move(spec), std::move(created_by)}, kItemBytes});
}

bool IngestStream::Declare(std::int64_t run_id, std::int64_t epoch, model::Source source) {
  const std::size_t bytes = SizeOf(source);
  return queue_.Push({shared_from_this(), DeclareItem{run_id, epoch, std::move(source)}, bytes});
}

bool IngestStream::AddStacks(std::int64_t run_id, std::vector<std::string> folded) {
  const std::size_t bytes = SizeOf(folded);
  return queue_.Push({shared_from_this(), StacksItem{run_id, std::move(folded)}, bytes});
}

bool IngestStream::Commit(EncodedBatch batch) {
  const std::size_t bytes = batch.size_bytes();
  return queue_.Push({shared_from_this(), std::move(batch), bytes});
}

bool IngestStream::End(std::int64_t run_id, std::int64_t epoch, model::RunOutcome outcome) {
  return queue_.Push({shared_from_this(), EndItem{run_id, epoch, std::move(outcome)}, kItemBytes});
}

bool IngestStream::ParkIfFull() { return queue_.ParkIfFull(shared_from_this()); }

void IngestStream::Fail(const absl::Status& status) {
  if (failed_.exchange(true)) return;
  if (const auto sink = sink_.lock()) sink->OnFailed(status);
}

}  // namespace regressd::storage
