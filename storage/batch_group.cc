#include "storage/batch_group.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

namespace regressd::storage {
namespace {

std::string Place(const EncodedBatch& batch) {
  return fmt::format("source {}, numbers {} to {}", batch.source_id, batch.first_seq,
                     batch.last_seq);
}

}  // namespace

void BatchGroup::Add(std::shared_ptr<IngestStream> stream, EncodedBatch batch) {
  batches_.push_back(std::move(batch));
  streams_.push_back(std::move(stream));
}

std::span<const EncodedBatch> BatchGroup::First(std::size_t count) const {
  return std::span(batches_).subspan(begin_, std::min(count, size()));
}

std::vector<std::int64_t> BatchGroup::RunIds() const {
  std::set<std::int64_t> ids;
  for (const EncodedBatch& batch : First(size())) ids.insert(batch.run_id);
  return {ids.begin(), ids.end()};
}

void BatchGroup::Acknowledge(std::size_t count) {
  std::map<std::pair<IngestStream*, std::int32_t>, std::int64_t> last_stored;
  const std::size_t end = begin_ + count;
  for (std::size_t i = begin_; i < end; ++i) {
    last_stored[{streams_[i].get(), batches_[i].source_id}] = batches_[i].last_seq;
  }
  for (const auto& [key, last_seq] : last_stored) {
    key.first->Tell(&StreamSink::OnStored, key.second, last_seq);
  }
  begin_ = end;
}

void BatchGroup::RefuseFirst(const absl::Status& status) {
  streams_[begin_]->Fail(absl::Status(
      status.code(), fmt::format("{}: the store refuses it: {}; leave it out",
                                 Place(batches_[begin_]), std::string(status.message()))));
  DropFailed();
}

void BatchGroup::FailAll(const absl::Status& status) {
  for (std::size_t i = begin_; i < batches_.size(); ++i) streams_[i]->Fail(status);
  begin_ = batches_.size();
}

bool BatchGroup::Reconcile(std::span<const IngestStore::CursorState> cursors) {
  std::map<std::pair<std::int64_t, std::int32_t>, IngestStore::CursorState> by_source;
  for (const auto& cursor : cursors) by_source[{cursor.run_id, cursor.source_id}] = cursor;
  const std::size_t size_before = size();
  std::vector<EncodedBatch> batches;
  std::vector<std::shared_ptr<IngestStream>> streams;
  for (std::size_t i = begin_; i < batches_.size(); ++i) {
    EncodedBatch& batch = batches_[i];
    const auto found = by_source.find({batch.run_id, batch.source_id});
    if (found == by_source.end() || found->second.epoch != batch.epoch) {
      streams_[i]->Fail(
          absl::AbortedError("a newer stream of this run took over, or the run is "
                             "gone; say Hello again to go on"));
    } else if (batch.last_seq <= found->second.last_seq) {
      streams_[i]->Tell(&StreamSink::OnStored, batch.source_id, batch.last_seq);
    } else if (batch.first_seq != found->second.last_seq + 1) {
      streams_[i]->Fail(absl::AbortedError(
          fmt::format("{}: the store has numbers up to {}; say Hello again and go on from there",
                      Place(batch), found->second.last_seq)));
    } else {
      found->second.last_seq = batch.last_seq;  // Where the source's next batch must follow.
      batches.push_back(std::move(batch));
      streams.push_back(std::move(streams_[i]));
    }
  }
  batches_ = std::move(batches);
  streams_ = std::move(streams);
  begin_ = 0;
  DropFailed();
  return size() != size_before;
}

void BatchGroup::DropFailed() {
  std::size_t kept = 0;
  for (std::size_t i = begin_; i < batches_.size(); ++i) {
    if (streams_[i]->failed()) continue;
    if (kept != i) {
      batches_[kept] = std::move(batches_[i]);
      streams_[kept] = std::move(streams_[i]);
    }
    ++kept;
  }
  batches_.resize(kept);
  streams_.resize(kept);
  begin_ = 0;
}

}  // namespace regressd::storage
