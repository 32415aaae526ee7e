#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "regressd/v1/ingest_service.pb.h"
#include "services/agent/spool_file.h"

namespace regressd::agent {

struct SpoolOptions {
  std::filesystem::path directory = {};      ///< Made when missing; empty: memory alone.
  std::size_t max_bytes = 64 * 1024 * 1024;  ///< Of data that the server has not acknowledged.
  std::size_t max_memory_bytes = 4 * 1024 * 1024;  ///< Of it, kept in memory too or instead.
};

struct SpoolStats {
  std::int64_t taken_count = 0;         ///< Batches taken over the spool's life.
  std::int64_t acknowledged_count = 0;  ///< Of them, stored by the server for good.
  std::int64_t waiting_count = 0;       ///< Not yet.
  std::size_t waiting_bytes = 0;
  std::int64_t lost_seq_count = 0;  ///< Sequence numbers that became gaps.
};

/// All that one run has to tell the server, in order, until the server has stored it.
///
/// A producer appends, one sender takes. Data beyond the limit become gaps, which are sent in their
/// place. Declarations and the end are always kept. Thread-safe.
class Spool {
 public:
  /// A new run's spool, `<directory>/<run uuid>.spool`. Errors: as SpoolFile::Create.
  static absl::StatusOr<std::unique_ptr<Spool>> Create(const SpoolOptions& options,
                                                       const v1::Hello& hello);

  /// What a dead or impatient agent left. Errors: as SpoolFile::Open.
  static absl::StatusOr<std::unique_ptr<Spool>> Recover(const std::filesystem::path& path,
                                                        const SpoolOptions& options);

  const v1::Hello& hello() const { return hello_; }
  /// What was lost of a recovered file, "<file> is cut at byte 812: 13 bytes behind it are
  /// damaged"; empty when nothing was.
  const std::string& damage() const { return damage_; }
  /// Empty when the spool is in memory alone.
  std::filesystem::path path() const;
  /// Why samples are not on disk, the first time that it was so; empty when all are.
  std::string disk_trouble() const;
  void NoteDiskTrouble(const std::string& trouble);

  /// Producer. Append takes a batch, stack batch or observation batch; the numbers of each source
  /// come in order. What no server could parse is not taken: a source is refused, data become a
  /// gap, an end loses its words.
  /// Errors: InvalidArgument for a source that is too large or has a text that is not UTF-8.
  absl::Status Declare(const v1::Source& source);
  void AddStacks(const v1::StackDictionary& entries);
  void Append(const v1::PushRequest& data);
  void End(const v1::End& end);
  bool has_end() const;
  /// Entries of the stack dictionary so far.
  std::int32_t stack_count() const;
  /// Highest number of a source that was appended or lost; 0 for none.
  std::int64_t LastSeq(std::int32_t source_id) const;

  /// Sender. Starts over behind the server's cursors; returns what the new stream must hear first.
  std::vector<v1::PushRequest> BeginStream(const v1::Resume& resume);

  struct Window {
    std::int64_t batch_count = 256;
    std::size_t bytes = 4 * 1024 * 1024;
  };
  /// The next message once there is one and the window allows it; End waits for all data to be
  /// acknowledged. nullopt when `interrupted` is set (call Wake after setting it), or after the
  /// end.
  std::optional<v1::PushRequest> Next(const Window& window, const std::atomic<bool>& interrupted);
  void Acknowledge(const v1::Ack& ack);
  void Wake();

  /// The run is delivered: nothing of it stays here.
  void Remove();
  /// The run is to wait for another process: puts on disk what a full disk had left in memory.
  /// Samples that still do not fit become gaps there; they, and the end, always have their room.
  /// Returns how many samples were lost by it. Nothing is appended afterwards.
  std::int64_t Keep();

  SpoolStats stats() const;

 private:
  enum class Kind { kDeclaration, kData, kEnd };

  struct Entry {
    Kind kind = Kind::kData;
    std::int32_t source_id = 0;
    std::int64_t first_seq = 0;
    std::int64_t last_seq = 0;
    std::size_t size_bytes = 0;
    std::optional<RecordPlace> place;  ///< On disk.
    std::string bytes;                 ///< In memory; empty when only on disk.
    bool acknowledged = false;
  };

  struct PendingGap {
    std::int64_t first_seq = 0;
    std::int64_t count = 0;
    std::string reason;
  };

  Spool(const SpoolOptions& options, v1::Hello hello)
      : options_(options), hello_(std::move(hello)) {}

  // All below: under mutex_. First what bounds it and makes gaps: spool_bounds.cc.
  bool Store(Entry entry, const v1::PushRequest& message);
  absl::StatusOr<RecordPlace> Write(Kind kind, const std::string& bytes);
  void KeepEnd(const Entry& end);
  void FlushGap(std::int32_t source_id);
  void PushGap(std::int32_t source_id, const PendingGap& gap);
  void Lose(const Entry& entry, const std::string& reason);
  void FillHoles(const std::map<std::int32_t, std::int64_t>& cursors);
  void CompactIfWorthIt();
  absl::Status Compact();
  void Restore(v1::PushRequest message, std::string bytes, const RecordPlace& place);
  /// What Keep wrote last belongs between what was appended, and the end behind all.
  void PutInOrder();
  // What the sender reads and what it need not read again: spool_reading.cc.
  void MarkAcknowledged(std::int32_t source_id, std::int64_t last_seq);
  void DropFront();
  void Forget(const Entry& entry);
  std::string BytesOf(const Entry& entry) const;
  std::vector<v1::PushRequest> Prelude() const;

  const SpoolOptions options_;
  const v1::Hello hello_;
  std::string damage_;  // Set before others know the spool.

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<SpoolFile> file_;
  std::deque<std::string> owed_declarations_;  // That the disk did not take.
  std::string disk_trouble_;
  std::deque<Entry> entries_;
  std::size_t next_index_ = 0;  // In entries_, of the next to send.
  std::map<std::int32_t, v1::Source> sources_;
  std::vector<v1::StackDictionary> dictionary_;
  std::int32_t stack_count_ = 0;
  std::map<std::int32_t, std::int64_t> last_seqs_;
  std::map<std::int32_t, PendingGap> pending_gaps_;
  std::size_t memory_bytes_ = 0;
  std::size_t waiting_bytes_ = 0;
  std::size_t declared_bytes_ = 0;  // Records of declarations; a replaced one counts on.
  std::int64_t in_flight_count_ = 0;
  std::size_t in_flight_bytes_ = 0;
  bool has_end_ = false;
  bool end_sent_ = false;
  SpoolStats stats_;
};

}  // namespace regressd::agent
