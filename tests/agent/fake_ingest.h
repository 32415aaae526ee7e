#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "regressd/v1/ingest_service.pb.h"

namespace regressd::agent::testing {

/// What the fake does with one stream; streams take their scripts in order, later ones none.
struct StreamScript {
  std::optional<int> break_at_message =
      {};                           ///< Fails as UNAVAILABLE when this message (from 1) comes.
  bool store_before_break = false;  ///< The message at the break is stored, its ack never sent.
  int refuse_hello_with = 0;        ///< A gRPC status code; 0 takes it.
  bool answer_already_ended = false;
};

/// One sample as it was stored.
struct StoredRow {
  std::int64_t seq = 0;
  std::int64_t time_us = 0;
  std::vector<std::optional<std::int64_t>> ints = {};
  std::vector<std::optional<double>> doubles = {};
};

struct StoredSource {
  v1::Source declared;
  std::int64_t last_seq = 0;
  std::map<std::int64_t, StoredRow> rows;                    ///< By number.
  std::map<std::int64_t, std::string> messages;              ///< As sent, by first number.
  std::map<std::string, std::int64_t> stacks;                ///< Folded text to count.
  std::map<std::int32_t, std::vector<double>> observations;  ///< By metric.
  std::vector<v1::Gap> gaps;
};

struct StoredRun {
  std::vector<std::string> hellos;  ///< The RunSpec of each Hello, as sent.
  v1::RunSpec spec;
  std::map<std::int32_t, StoredSource> sources;
  std::optional<v1::RunOutcome> outcome;
  std::int64_t largest_in_flight = 0;
};

/// An IngestService on a loopback port that keeps what the protocol promises: numbers are dense, a
/// repeated batch must be the very same bytes, a dictionary begins at 0 on each stream. What breaks
/// a promise stands in violations(). Thread-safe.
class FakeIngest {
 public:
  FakeIngest();
  ~FakeIngest();

  /// "127.0.0.1:port"; the same after Stop and Start.
  const std::string& address() const { return address_; }
  void Start();
  /// As a killed server: streams end, what was stored is kept.
  void Stop();

  void Script(std::vector<StreamScript> scripts);
  void set_window(std::int32_t batch_count);
  /// Acks are held back until so many batches wait for them; then all go out.
  void set_ack_every(int batch_count);
  /// Made as soon as a batch of this source is stored.
  void TouchOnBatch(std::int32_t source_id, std::filesystem::path file);

  std::vector<std::string> violations() const;
  /// The runs by UUID.
  std::map<std::string, StoredRun> runs() const;
  /// The only run; fails the test when there are more or fewer.
  StoredRun OnlyRun() const;
  std::int64_t stream_count() const;

  /// Blocks until a stream has ended `count` runs.
  void WaitForEndedRuns(int count);

 private:
  class Service;
  std::unique_ptr<Service> service_;
  std::string address_;
};

/// The rows of a batch, undone from its coding by the proto's own words.
std::vector<StoredRow> DecodeBatch(const v1::Batch& batch);

}  // namespace regressd::agent::testing
