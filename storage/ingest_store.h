#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/model/run.h"

namespace regressd::storage {

/// Where one source of a run stands.
struct SourceCursor {
  std::int32_t source_id = 0;
  std::int64_t last_seq = 0;
};

struct OpenedRun {
  std::int64_t epoch = 0;  ///< Of the stream that opened it; older ones are fenced from now on.
  model::RunState state = model::RunState::kOpen;
  std::vector<SourceCursor> cursors;  ///< By source_id.
};

/// Samples of one source as they came, checked: dense, sizes in agreement, no NaN or infinity.
struct SampleBatch {
  std::int64_t first_seq = 0;
  std::vector<model::Time> times;  ///< One a sample.
  std::int32_t metric_count = 0;
  /// Row-major, times.size() * metric_count entries; exactly one of the two is used.
  std::vector<std::int64_t> ints;
  std::vector<double> doubles;
  std::vector<bool> missing;  ///< Empty when nothing is; else one an entry.
};

/// The same as a block of services/codec/block.h, checked.
struct SampleBlock {
  std::int64_t first_seq = 0;
  std::int32_t sample_count = 0;
  std::int32_t metric_count = 0;
  model::Time begin_time;      ///< Of the first sample.
  std::int64_t period_us = 0;  ///< Of the block's shape.
  std::int16_t codec = 0;      ///< BlockCodec of the protocol.
  std::string_view payload;
};

struct StackCounts {
  std::int64_t seq = 0;
  model::Time begin_time;
  std::int64_t duration_us = 0;
  std::vector<std::int64_t> stack_hashes;  ///< Hash63 of the folded text, each once.
  std::vector<std::int64_t> counts;
};

struct Observations {
  std::int64_t seq = 0;
  std::int32_t metric_index = 0;
  std::vector<double> values;
};

/// A batch made ready for its store on the thread that received it.
struct EncodedBatch {
  enum class Kind { kSamples, kBlocks, kStacks, kObservations, kGap };

  Kind kind = Kind::kSamples;
  std::int64_t run_id = 0;
  std::int32_t source_id = 0;
  std::int64_t epoch = 0;
  std::int64_t first_seq = 0;
  std::int64_t last_seq = 0;
  /// COPY BINARY tuples without header and trailer; for kGap the reason in words.
  std::string tuples;

  std::size_t size_bytes() const { return tuples.size() + sizeof(EncodedBatch); }
};

/// Encode... turn checked data into COPY BINARY tuples of sample_row, sample_block, stack_count, observation_row. Pure.
EncodedBatch EncodeSamples(std::int64_t run_id, std::int32_t source_id, std::int64_t epoch, const SampleBatch& batch);
EncodedBatch EncodeBlock(std::int64_t run_id, std::int32_t source_id, std::int64_t epoch, const SampleBlock& block);
EncodedBatch EncodeStacks(std::int64_t run_id, std::int32_t source_id, std::int64_t epoch, const StackCounts& counts);
EncodedBatch EncodeObservations(std::int64_t run_id, std::int32_t source_id, std::int64_t epoch,
                                const Observations& observations);
EncodedBatch EncodeGap(std::int64_t run_id, std::int32_t source_id, std::int64_t epoch, std::int64_t first_seq,
                       std::int64_t count, std::string_view reason);

/// Writes what agents send. One connection; one thread at a time (its committer's).
///
/// Errors of every method: Unavailable when the store cannot be reached or the outcome of a commit is unknown (then ask
/// OpenRun or ReadCursors what is there); ResourceExhausted when the store has no room, on its disk or in memory: it
/// stays usable and nothing was written; Internal for anything else that the store says.
class IngestStore {
 public:
  virtual ~IngestStore() = default;

  /// Makes the run, its axes and its commit if they are new, takes the next epoch, fences older ones. What is known of a
  /// commit stays. A run that has ended is returned as it is: state kComplete or kFailed, nothing more is taken.
  /// Errors: AlreadyExists when another UUID has the same run_id, or the run was opened with other axes or commit;
  /// FailedPrecondition when it was deleted.
  virtual absl::StatusOr<OpenedRun> OpenRun(const model::RunSpec& spec, std::string_view created_by) = 0;

  /// Makes or extends a source, and its cursor. Returns its last_seq. Durable at the latest with the next CommitBatches.
  /// Errors: InvalidArgument when it contradicts what was declared before; Aborted when `epoch` is not the run's.
  virtual absl::StatusOr<std::int64_t> DeclareSource(std::int64_t run_id, std::int64_t epoch,
                                                     const model::Source& source) = 0;

  /// Adds call stacks to the run's dictionary; known ones change nothing. Durable at the latest with the next
  /// CommitBatches.
  virtual absl::Status AddStacks(std::int64_t run_id, std::span<const std::string> folded) = 0;

  /// Writes the batches and moves the cursors, all or nothing, in one transaction with one flush.
  /// The batches of one declared source come in order and without holes; the first follows the source's cursor.
  /// Errors: Aborted when a cursor's epoch or number was not as expected: nothing was written, ask ReadCursors;
  /// InvalidArgument when the store refuses the data of some batch: bisect.
  virtual absl::Status CommitBatches(std::span<const EncodedBatch> batches) = 0;

  struct CursorState {
    std::int64_t run_id = 0;
    std::int32_t source_id = 0;
    std::int64_t epoch = 0;
    std::int64_t last_seq = 0;
  };
  /// The cursors of these runs.
  virtual absl::StatusOr<std::vector<CursorState>> ReadCursors(std::span<const std::int64_t> run_ids) = 0;

  /// Ends the run in one transaction: its state, its run values, its place in the detection queue. Ending it again
  /// changes nothing and returns its state.
  /// Errors: Aborted when `epoch` is not the run's.
  virtual absl::StatusOr<model::RunState> EndRun(std::int64_t run_id, std::int64_t epoch,
                                                 const model::RunOutcome& outcome) = 0;
};

/// Makes one IngestStore, for one thread. Errors: as above.
class IngestStoreFactory {
 public:
  virtual ~IngestStoreFactory() = default;
  virtual absl::StatusOr<std::unique_ptr<IngestStore>> Connect() = 0;
};

}  // namespace regressd::storage
