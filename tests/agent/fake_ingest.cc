#include "tests/agent/fake_ingest.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <fstream>
#include <utility>

#include "regressd/v1/ingest_service.grpc.pb.h"

namespace regressd::agent::testing {
namespace {

using ServerStream = grpc::ServerReaderWriter<v1::PushResponse, v1::PushRequest>;

struct Range {
  std::int32_t source_id = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
};

std::optional<Range> RangeOf(const v1::PushRequest& message) {
  if (message.has_batch()) {
    const v1::Batch& batch = message.batch();
    return Range{batch.source_id(), batch.first_seq(),
                 batch.first_seq() + batch.sample_count() - 1};
  }
  if (message.has_stack_batch()) {
    return Range{message.stack_batch().source_id(), message.stack_batch().seq(),
                 message.stack_batch().seq()};
  }
  if (message.has_observation_batch()) {
    return Range{message.observation_batch().source_id(), message.observation_batch().seq(),
                 message.observation_batch().seq()};
  }
  if (message.has_gap()) {
    const v1::Gap& gap = message.gap();
    return Range{gap.source_id(), gap.first_seq(), gap.first_seq() + gap.count() - 1};
  }
  return std::nullopt;
}

}  // namespace

std::vector<StoredRow> DecodeBatch(const v1::Batch& batch) {
  std::vector<StoredRow> rows;
  const auto width = static_cast<std::size_t>(batch.metric_count());
  std::vector<std::uint64_t> before(width, 0);
  std::int64_t time_us = 0;
  std::size_t entry = 0;
  const auto is_missing = [&](std::size_t i) {
    return i / 8 < batch.missing_bits().size() &&
           ((static_cast<unsigned char>(batch.missing_bits()[i / 8]) >> (i % 8)) & 1) != 0;
  };
  for (int sample = 0; sample < batch.sample_count(); ++sample) {
    StoredRow row{.seq = batch.first_seq() + sample, .ints = {}, .doubles = {}};
    time_us += batch.time_delta_us(sample);
    row.time_us = time_us;
    for (std::size_t column = 0; column < width; ++column, ++entry) {
      const int index = static_cast<int>(entry);
      if (batch.int_deltas_size() > 0) {
        before[column] += static_cast<std::uint64_t>(batch.int_deltas(index));
        row.ints.push_back(is_missing(entry) ? std::nullopt
                                             : std::optional<std::int64_t>(before[column]));
      } else {
        row.doubles.push_back(is_missing(entry) ? std::nullopt
                                                : std::optional<double>(batch.doubles(index)));
      }
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

class FakeIngest::Service : public v1::IngestService::Service {
 public:
  std::mutex mutex_;
  std::condition_variable ended_;
  std::vector<StreamScript> scripts_;
  std::vector<std::string> violations_;
  std::map<std::string, StoredRun> runs_;
  std::map<std::int32_t, std::filesystem::path> touch_;
  std::int32_t window_ = 0;
  int ack_every_ = 1;
  std::int64_t stream_count_ = 0;
  int ended_count_ = 0;
  std::unique_ptr<grpc::Server> server_;

  grpc::Status Push(grpc::ServerContext* /*context*/, ServerStream* stream) override {
    StreamScript script;
    {
      const std::lock_guard lock(mutex_);
      if (static_cast<std::size_t>(stream_count_) < scripts_.size()) {
        script = scripts_[static_cast<std::size_t>(stream_count_)];
      }
      ++stream_count_;
    }
    return Talk(stream, script);
  }

 private:
  grpc::Status Talk(ServerStream* stream, const StreamScript& script) {
    v1::PushRequest message;
    if (!stream->Read(&message) || !message.has_hello()) {
      return Violate("a stream does not begin with Hello");
    }
    if (script.refuse_hello_with != 0) {
      return {static_cast<grpc::StatusCode>(script.refuse_hello_with), "refused by the script"};
    }
    const std::string uuid = message.hello().run().run_uuid();
    if (!stream->Write(OpenRun(message.hello(), script))) return grpc::Status::OK;
    std::vector<std::string> dictionary;
    std::int64_t waiting = 0;
    for (int count = 2; stream->Read(&message); ++count) {
      const bool breaks = script.break_at_message == count;
      if (breaks && !script.store_before_break) return Broken();
      v1::PushResponse response;
      grpc::Status status = Take(uuid, message, &dictionary, &waiting, &response);
      if (!status.ok()) return status;
      if (breaks) return Broken();
      if (response.message_case() != v1::PushResponse::MESSAGE_NOT_SET &&
          !stream->Write(response)) {
        return grpc::Status::OK;
      }
      if (response.has_ended()) return grpc::Status::OK;
      if (!SendAcks(stream, uuid, &waiting)) return grpc::Status::OK;
    }
    return grpc::Status::OK;
  }

  static grpc::Status Broken() { return {grpc::StatusCode::UNAVAILABLE, "broken by the script"}; }

  grpc::Status Violate(const std::string& what) {
    const std::lock_guard lock(mutex_);
    violations_.push_back(what);
    return {grpc::StatusCode::INVALID_ARGUMENT, what};
  }

  v1::PushResponse OpenRun(const v1::Hello& hello, const StreamScript& script) {
    const std::lock_guard lock(mutex_);
    StoredRun& run = runs_[hello.run().run_uuid()];
    run.spec = hello.run();
    run.hellos.push_back(hello.run().SerializeAsString());
    v1::PushResponse response;
    v1::Resume& resume = *response.mutable_resume();
    resume.set_epoch(static_cast<std::int64_t>(run.hellos.size()));
    resume.set_window_batch_count(window_);
    resume.set_already_ended(run.outcome.has_value() || script.answer_already_ended);
    for (const auto& [source_id, source] : run.sources) {
      v1::Ack& cursor = *resume.add_cursors();
      cursor.set_source_id(source_id);
      cursor.set_last_seq(source.last_seq);
    }
    return response;
  }

  grpc::Status Take(const std::string& uuid, const v1::PushRequest& message,
                    std::vector<std::string>* dictionary, std::int64_t* waiting,
                    v1::PushResponse* response) {
    if (message.has_source()) return TakeSource(uuid, message.source());
    if (message.has_stack_dictionary()) {
      const v1::StackDictionary& entries = message.stack_dictionary();
      if (entries.first_index() != static_cast<int>(dictionary->size())) {
        return Violate("a dictionary that is not dense over its stream");
      }
      dictionary->insert(dictionary->end(), entries.folded().begin(), entries.folded().end());
      return grpc::Status::OK;
    }
    const std::lock_guard lock(mutex_);
    StoredRun& run = runs_[uuid];
    if (message.has_end()) {
      run.outcome = message.end().outcome();
      ++ended_count_;
      ended_.notify_all();
      response->mutable_ended()->set_state(v1::RUN_STATE_COMPLETE);
      return grpc::Status::OK;
    }
    ++*waiting;
    run.largest_in_flight = std::max(run.largest_in_flight, *waiting);
    return TakeData(&run, message, *dictionary);
  }

  grpc::Status TakeSource(const std::string& uuid, const v1::Source& source) {
    {
      const std::lock_guard lock(mutex_);
      v1::Source& known = runs_[uuid].sources[source.source_id()].declared;
      bool starts_alike = known.metrics_size() <= source.metrics_size();
      for (int i = 0; starts_alike && i < known.metrics_size(); ++i) {
        starts_alike = known.metrics(i).name() == source.metrics(i).name();
      }
      if (starts_alike) {
        known = source;
        return grpc::Status::OK;
      }
    }
    return Violate(fmt::format("source {} declared anew otherwise", source.source_id()));
  }

  grpc::Status Wrong(grpc::StatusCode code, const std::string& what) {
    violations_.push_back(what);
    return {code, what};
  }

  /// Under the lock.
  grpc::Status TakeData(StoredRun* run, const v1::PushRequest& message,
                        const std::vector<std::string>& dictionary) {
    const std::optional<Range> range = RangeOf(message);
    if (!range) return Wrong(grpc::StatusCode::INVALID_ARGUMENT, "a message of no known kind");
    const auto found = run->sources.find(range->source_id);
    if (found == run->sources.end()) {
      return Wrong(grpc::StatusCode::INVALID_ARGUMENT, "a batch of a source not declared");
    }
    StoredSource& source = found->second;
    const std::string bytes = message.SerializeAsString();
    if (range->last <= source.last_seq) {
      if (source.messages[range->first] == bytes) return grpc::Status::OK;
      return Wrong(grpc::StatusCode::INVALID_ARGUMENT,
                   fmt::format("source {} number {} came again with other contents",
                               range->source_id, range->first));
    }
    if (range->first != source.last_seq + 1) {
      return Wrong(
          grpc::StatusCode::OUT_OF_RANGE,
          fmt::format("source {}: {} after {}", range->source_id, range->first, source.last_seq));
    }
    source.last_seq = range->last;
    source.messages[range->first] = bytes;
    Store(message, dictionary, &source);
    if (const auto file = touch_.find(range->source_id); file != touch_.end()) {
      std::ofstream(file->second) << "stored\n";
    }
    return grpc::Status::OK;
  }

  static void Store(const v1::PushRequest& message, const std::vector<std::string>& dictionary,
                    StoredSource* source) {
    if (message.has_batch()) {
      for (StoredRow& row : DecodeBatch(message.batch())) {
        const std::int64_t seq = row.seq;
        source->rows[seq] = std::move(row);
      }
    }
    if (message.has_stack_batch()) {
      const v1::StackBatch& batch = message.stack_batch();
      for (int i = 0; i < batch.count_size(); ++i) {
        source->stacks[dictionary.at(static_cast<std::size_t>(batch.stack_index(i)))] +=
            batch.count(i);
      }
    }
    if (message.has_observation_batch()) {
      const v1::ObservationBatch& batch = message.observation_batch();
      std::vector<double>& values = source->observations[batch.metric_index()];
      values.insert(values.end(), batch.values().begin(), batch.values().end());
    }
    if (message.has_gap()) source->gaps.push_back(message.gap());
  }

  bool SendAcks(ServerStream* stream, const std::string& uuid, std::int64_t* waiting) {
    std::vector<v1::PushResponse> acks;
    {
      const std::lock_guard lock(mutex_);
      if (*waiting < ack_every_) return true;
      *waiting = 0;
      for (const auto& [source_id, source] : runs_[uuid].sources) {
        v1::Ack& ack = *acks.emplace_back().mutable_ack();
        ack.set_source_id(source_id);
        ack.set_last_seq(source.last_seq);
      }
    }
    return std::all_of(acks.begin(), acks.end(),
                       [&](const v1::PushResponse& ack) { return stream->Write(ack); });
  }
};

FakeIngest::FakeIngest() : service_(std::make_unique<Service>()), address_("127.0.0.1:0") {
  Start();
}

FakeIngest::~FakeIngest() { Stop(); }

void FakeIngest::Start() {
  if (service_->server_) return;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(address_, grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(service_.get());
  service_->server_ = builder.BuildAndStart();
  ASSERT_TRUE(service_->server_) << "cannot listen on " << address_;
  address_ = fmt::format("127.0.0.1:{}", port);
}

void FakeIngest::Stop() {
  if (!service_->server_) return;
  service_->server_->Shutdown(std::chrono::system_clock::now());
  service_->server_->Wait();
  service_->server_.reset();
}

void FakeIngest::Script(std::vector<StreamScript> scripts) {
  const std::lock_guard lock(service_->mutex_);
  service_->scripts_ = std::move(scripts);
}

void FakeIngest::set_window(std::int32_t batch_count) {
  const std::lock_guard lock(service_->mutex_);
  service_->window_ = batch_count;
}

void FakeIngest::set_ack_every(int batch_count) {
  const std::lock_guard lock(service_->mutex_);
  service_->ack_every_ = batch_count;
}

void FakeIngest::TouchOnBatch(std::int32_t source_id, std::filesystem::path file) {
  const std::lock_guard lock(service_->mutex_);
  service_->touch_[source_id] = std::move(file);
}

std::vector<std::string> FakeIngest::violations() const {
  const std::lock_guard lock(service_->mutex_);
  return service_->violations_;
}

std::map<std::string, StoredRun> FakeIngest::runs() const {
  const std::lock_guard lock(service_->mutex_);
  return service_->runs_;
}

StoredRun FakeIngest::OnlyRun() const {
  const std::map<std::string, StoredRun> all = runs();
  EXPECT_EQ(all.size(), 1u);
  return all.empty() ? StoredRun{} : all.begin()->second;
}

std::int64_t FakeIngest::stream_count() const {
  const std::lock_guard lock(service_->mutex_);
  return service_->stream_count_;
}

void FakeIngest::WaitForEndedRuns(int count) {
  std::unique_lock lock(service_->mutex_);
  service_->ended_.wait(lock, [&] { return service_->ended_count_ >= count; });
}

}  // namespace regressd::agent::testing
