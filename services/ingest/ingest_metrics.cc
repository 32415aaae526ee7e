#include "services/ingest/ingest_metrics.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace regressd::ingest {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;
using prometheus::Histogram;

const Histogram::BucketBoundaries kSeconds = {0.001, 0.002, 0.005, 0.01, 0.02,
                                              0.05,  0.1,   0.2,   0.5,  1};
const Histogram::BucketBoundaries kBatches = {1, 2, 4, 8, 16, 64, 256, 1024, 4096};

prometheus::Counter& Counter(prometheus::Registry& registry, const char* name, const char* help) {
  return BuildCounter().Name(name).Help(help).Register(registry).Add({});
}
prometheus::Gauge& Gauge(prometheus::Registry& registry, const char* name, const char* help) {
  return BuildGauge().Name(name).Help(help).Register(registry).Add({});
}
prometheus::Histogram& Buckets(prometheus::Registry& registry, const char* name, const char* help,
                               const Histogram::BucketBoundaries& bounds) {
  return BuildHistogram().Name(name).Help(help).Register(registry).Add({}, bounds);
}

double Seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

IngestMetrics::IngestMetrics(prometheus::Registry& registry)
    : batches_(Counter(registry, "regressd_batches_total", "Batches taken from agents.")),
      values_(Counter(registry, "regressd_values_total", "Values in the batches taken.")),
      duplicates_(Counter(registry, "regressd_duplicates_total",
                          "Batches that were sent again and already taken.")),
      rejected_(BuildCounter()
                    .Name("regressd_rejected_total")
                    .Help("Streams ended because of what they sent.")
                    .Register(registry)),
      commit_seconds_(Buckets(registry, "regressd_commit_seconds",
                              "Time of one group's transaction.", kSeconds)),
      group_batches_(
          Buckets(registry, "regressd_group_batches", "Batches in one transaction.", kBatches)),
      ack_seconds_(Buckets(registry, "regressd_ack_seconds",
                           "From the receipt of a batch to its written acknowledgement.",
                           kSeconds)),
      queue_bytes_(
          Gauge(registry, "regressd_queue_bytes", "What waits to be committed or is under way.")),
      streams_(Gauge(registry, "regressd_streams", "Open streams of agents.")),
      db_up_(Gauge(registry, "regressd_db_up", "1 while the committers reach the database.")),
      reconnects_(Counter(registry, "regressd_db_reconnects_total",
                          "Connections of committers that replaced a lost one.")),
      parked_streams_(Gauge(registry, "regressd_parked_streams",
                            "Streams that are not read because the queue is full.")) {}

void IngestMetrics::BatchTaken(std::int64_t value_count) {
  batches_.Increment();
  values_.Increment(static_cast<double>(value_count));
}

void IngestMetrics::Rejected(const absl::Status& why) {
  std::string reason = absl::StatusCodeToString(why.code());
  std::transform(reason.begin(), reason.end(), reason.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  rejected_.Add({{"reason", reason}}).Increment();
}

void IngestMetrics::Acknowledged(std::chrono::nanoseconds took) {
  ack_seconds_.Observe(Seconds(took));
}

void IngestMetrics::OnCommit(std::chrono::nanoseconds took, std::size_t batch_count) {
  commit_seconds_.Observe(Seconds(took));
  group_batches_.Observe(static_cast<double>(batch_count));
}

}  // namespace regressd::ingest
