#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "services/agent/facts.h"
#include "services/agent/private_directory.h"
#include "services/agent/spool.h"

namespace regressd::agent::testing {

inline v1::Hello MakeHello() {
  v1::Hello hello;
  hello.set_protocol_version(1);
  hello.mutable_run()->set_run_uuid(DrawRunUuid());
  hello.mutable_run()->set_agent_version("test");
  return hello;
}

inline v1::Source MakeSource(std::int32_t source_id) {
  v1::Source source;
  source.set_source_id(source_id);
  source.set_name("source-" + std::to_string(source_id));
  source.set_content(v1::SOURCE_CONTENT_INT_SAMPLES);
  source.add_metrics()->set_name("m");
  return source;
}

/// One sample of one metric, whose value is 1000 times its number.
inline v1::PushRequest MakeBatch(std::int32_t source_id, std::int64_t seq) {
  v1::PushRequest message;
  v1::Batch& batch = *message.mutable_batch();
  batch.set_source_id(source_id);
  batch.set_first_seq(seq);
  batch.set_sample_count(1);
  batch.set_metric_count(1);
  batch.add_time_delta_us(1'000'000 * seq);
  batch.add_int_deltas(1000 * seq);
  return message;
}

inline v1::End MakeEnd() {
  v1::End end;
  end.mutable_outcome()->mutable_end_time()->set_seconds(1);
  return end;
}

}  // namespace regressd::agent::testing
