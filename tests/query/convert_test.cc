#include "services/common/convert.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>

#include <limits>
#include <set>

#include "services/common/error_details.h"

namespace regressd::common {
namespace {

using google::protobuf::util::MessageDifferencer;
using testing::ElementsAre;

const char kUuid[] = "0a1b2c3d-0000-4000-8000-00000000002a";

std::vector<std::string> Fields(const absl::Status& status) {
  std::vector<std::string> fields;
  for (const FieldViolation& violation : FieldViolationsOf(status)) {
    fields.push_back(violation.field);
  }
  return fields;
}

void AddAxis(const std::string& key, const std::string& value, AxisList* axes) {
  v1::Axis* axis = axes->Add();
  axis->set_key(key);
  axis->set_value(value);
}

// Every field set, each to another value, so that two that are swapped show.
v1::Commit FullCommit() {
  v1::Commit commit;
  commit.set_commit_id("0123456789abcdef0123456789abcdef01234567");
  commit.set_describe("v6.12-1-g0123456789ab");
  commit.set_subject("mm: swap: do it faster");
  commit.set_author("A. Developer <a@example.org>");
  commit.mutable_author_time()->set_seconds(1764500000);
  commit.add_parent_ids("fedcba9876543210fedcba9876543210fedcba98");
  commit.add_branches("mm-unstable");
  commit.add_trailers("Fixes: 0123456789ab");
  return commit;
}

v1::RunSpec FullSpec() {
  v1::RunSpec spec;
  spec.set_run_uuid(kUuid);
  AddAxis("testcase", "vm-scalability", spec.mutable_axes());
  AddAxis("tbox_group", "lkp-hsw-ep2", spec.mutable_axes());
  AddAxis("nr_task", "", spec.mutable_axes());
  *spec.mutable_commit() = FullCommit();
  v1::MachineFacts* facts = spec.mutable_facts();
  facts->set_testbox("lkp-hsw-ep2-1");
  facts->set_boot_id("b");
  facts->set_kernel_release("6.12.0");
  facts->set_kernel_version("#1 SMP");
  facts->set_kernel_cmdline("root=/dev/sda\tquiet");
  facts->set_cpu_model("Xeon");
  facts->set_socket_count(2);
  facts->set_cpu_count(72);
  facts->set_memory_size_bytes(137438953472);
  facts->set_microcode("0x43");
  facts->add_swap_devices("/dev/zram0 partition 8G 100");
  (*facts->mutable_tool_versions())["perf"] = "6.1.192";
  (*facts->mutable_settings())["thp_enabled"] = "always";
  spec.mutable_start_time()->set_seconds(1764500001);
  spec.mutable_start_time()->set_nanos(123456000);
  spec.add_command("sh");
  spec.add_command("-c");
  spec.add_command("echo a\necho b");
  spec.set_job_toml("[job]\n");
  spec.set_agent_version("0.1.0");
  (*spec.mutable_monitor_notes())["perf-stat"] = "no PMU";
  return spec;
}

TEST(ConvertTest, ARunComesBackAsItWas) {
  v1::Run run;
  *run.mutable_spec() = FullSpec();
  run.set_state(v1::RUN_STATE_FAILED);
  v1::RunOutcome* outcome = run.mutable_outcome();
  outcome->mutable_end_time()->set_seconds(1764500100);
  outcome->set_exit_status(-1);
  outcome->set_term_signal(9);
  outcome->add_last_output_lines("\x1B[31mkilled");
  (*outcome->mutable_monitor_notes())["vmstat"] = "ended early";
  outcome->set_failure("out of memory");
  run.mutable_create_time()->set_seconds(1764500002);
  run.set_created_by("bot");
  run.set_exclude_reason("noise");
  run.set_excluded_by("local");
  v1::SourceInfo* source = run.add_sources();
  source->set_source_id(3);
  source->set_name("proc");
  source->set_last_seq(99);
  source->set_metric_count(190);
  source->set_gap_count(4);

  const auto model = FromProto(run);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->spec.facts.cpu_count, 72);
  EXPECT_EQ(model->spec.facts.socket_count, 2);
  EXPECT_EQ(model->outcome->term_signal, 9);
  EXPECT_EQ(model->sources[0].gap_count, 4);
  v1::Run back;
  ToProto(*model, &back);
  EXPECT_TRUE(MessageDifferencer::Equals(run, back)) << back.DebugString();
}

TEST(ConvertTest, ARegressionComesBackAsItWas) {
  v1::Regression regression;
  regression.set_regression_id(17);
  regression.set_state(v1::REGRESSION_STATE_WENT_AWAY);
  regression.set_muted(true);
  regression.set_title("-9.8% regression of vm-scalability.throughput");
  AddAxis("testcase", "vm-scalability", regression.mutable_axes());
  *regression.mutable_base() = FullCommit();
  v1::Patch* patch = regression.mutable_head()->mutable_patch();
  patch->set_message_id("1@example.org");
  patch->set_base_commit_id("v6.12");
  patch->set_number(3);
  patch->set_total(7);
  patch->set_series_version(2);
  patch->set_subject("[PATCH v2 3/7] mm");
  patch->set_author("B <b@example.org>");
  regression.mutable_head()->set_commit_id("patch:1@example.org@v6.12");
  regression.set_headline_metric("vm-scalability.throughput");
  v1::RegressionMetric* metric = regression.add_metrics();
  metric->mutable_metric()->set_name("vm-scalability.throughput");
  metric->mutable_metric()->set_unit("KiB/s");
  metric->mutable_metric()->set_kind(v1::METRIC_KIND_RATIO);
  metric->mutable_metric()->set_better(v1::BETTER_HIGHER);
  metric->mutable_metric()->set_reduction(v1::REDUCTION_MAX);
  metric->mutable_metric()->set_scale(0.01);
  v1::Judgement* judgement = metric->mutable_judgement();
  judgement->set_verdict(v1::VERDICT_REGRESSION);
  judgement->set_reason("significant");
  judgement->set_rule("welch-1");
  int number = 1;
  for (auto set : {&v1::Judgement::set_base_count, &v1::Judgement::set_head_count,
                   &v1::Judgement::set_family_size}) {
    (judgement->*set)(number++);
  }
  for (auto set :
       {&v1::Judgement::set_base_mean, &v1::Judgement::set_base_sample_stddev,
        &v1::Judgement::set_head_mean, &v1::Judgement::set_head_sample_stddev,
        &v1::Judgement::set_absolute_change, &v1::Judgement::set_relative_change,
        &v1::Judgement::set_t_statistic, &v1::Judgement::set_degrees_of_freedom,
        &v1::Judgement::set_p_value, &v1::Judgement::set_q_value, &v1::Judgement::set_rank_p_value,
        &v1::Judgement::set_shift, &v1::Judgement::set_max_q_value,
        &v1::Judgement::set_min_relative_change, &v1::Judgement::set_min_absolute_change}) {
    (judgement->*set)(number++);
  }
  regression.mutable_create_time()->set_seconds(1764500002);
  regression.mutable_update_time()->set_seconds(1764500003);
  regression.set_created_by("detect");
  regression.set_etag("5");
  regression.mutable_facts()->set_testbox("x");

  const auto model = FromProto(regression);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->version, 5);
  EXPECT_EQ(model->metrics[0].judgement.head.run_count, 2);
  v1::Regression back;
  ToProto(*model, &back);
  EXPECT_TRUE(MessageDifferencer::Equals(regression, back)) << back.DebugString();
}

TEST(ConvertTest, ANumberThatDoesNotExistStaysUnset) {
  v1::Judgement out;
  ToProto(model::Judgement(), &out);
  EXPECT_FALSE(out.has_relative_change());
  EXPECT_FALSE(out.has_p_value());
  EXPECT_FALSE(out.has_shift());
  out.set_verdict(v1::VERDICT_UNCHANGED);
  const auto back = FromProto(out);
  ASSERT_TRUE(back.ok());
  EXPECT_FALSE(back->relative_change.has_value());
  EXPECT_FALSE(back->rank_p_value.has_value());
}

TEST(ConvertTest, ARunWhoseAxesAreTooLongWithTheDerivedOneIsRefused) {
  v1::RunSpec spec;
  spec.set_run_uuid("0192f0c4-3a5b-4c6d-8e7f-0123456789ab");
  spec.mutable_commit()->set_commit_id("v6.18");
  spec.mutable_start_time()->set_seconds(1'760'000'000);
  spec.mutable_facts()->set_testbox("lkp-hsw-ep2-1");
  AddAxis("testcase", "t", spec.mutable_axes());
  AddAxis("y", std::string(1010, 'q'), spec.mutable_axes());
  // "testcase=t\n", "y=...\n" and "z=...\n" are 11 + 1013 + 1013 = 2037 bytes, below the limit of
  // 2048; with "tbox_group=lkp-hsw-ep2\n" they are 2060.
  AddAxis("z", std::string(1010, 'q'), spec.mutable_axes());
  EXPECT_THAT(Fields(FromProto(spec).status()), ElementsAre("axes"));
  spec.mutable_axes(2)->set_value(std::string(990, 'q'));
  EXPECT_TRUE(FromProto(spec).ok()) << FromProto(spec).status();
}

TEST(ConvertTest, EveryWrongFieldOfASpecIsReportedAtOnce) {
  const auto spec = FromProto(v1::RunSpec(), "run");
  EXPECT_EQ(spec.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Fields(spec.status()), ElementsAre("run.run_uuid", "run.axes", "run.axes",
                                                 "run.commit.commit_id", "run.start_time"));
}

TEST(ConvertTest, TheMachineClassFollowsFromTheTestbox) {
  v1::RunSpec proto = FullSpec();
  proto.mutable_axes()->DeleteSubrange(1, 1);
  const auto spec = FromProto(proto);
  ASSERT_TRUE(spec.ok()) << spec.status();
  // lkp-tests: the trailing number of a host is its place in its class.
  EXPECT_EQ(spec->axes.Find("tbox_group"), "lkp-hsw-ep2");
  proto.mutable_facts()->clear_testbox();
  EXPECT_THAT(Fields(FromProto(proto).status()), ElementsAre("axes"));
}

TEST(ConvertTest, AxesAreCheckedForLimitsDoublesAndControlCharacters) {
  const auto fields = [](std::initializer_list<std::pair<std::string, std::string>> pairs) {
    AxisList axes;
    for (const auto& [key, value] : pairs) AddAxis(key, value, &axes);
    return Fields(FromProto(axes, "axes").status());
  };
  EXPECT_THAT(fields({{"a", "1"}, {"a", "2"}}), ElementsAre("axes[1].key"));
  EXPECT_THAT(fields({{"", "1"}}), ElementsAre("axes[0].key"));
  EXPECT_THAT(fields({{"a", "x\ny"}}), ElementsAre("axes[0].value"));
  EXPECT_THAT(fields({{"a", "\xFF"}}), ElementsAre("axes[0].value"));
  EXPECT_THAT(fields({{std::string(128, 'k'), std::string(1024, 'v')}}), ElementsAre());
  EXPECT_THAT(fields({{std::string(129, 'k'), ""}}), ElementsAre("axes[0].key"));
  EXPECT_THAT(fields({{"k", std::string(1025, 'v')}}), ElementsAre("axes[0].value"));
}

v1::Metric MetricOf(const std::string& name, v1::MetricKind kind) {
  v1::Metric metric;
  metric.set_name(name);
  metric.set_kind(kind);
  return metric;
}

TEST(ConvertTest, WhatAMetricDoesNotSayFollowsFromItsKind) {
  // The proto's comments: a total counts its last minus its first, interval counts add up, levels
  // are averaged.
  EXPECT_EQ(FromProto(MetricOf("a", v1::METRIC_KIND_COUNTER))->reduction, model::Reduction::kDelta);
  EXPECT_EQ(FromProto(MetricOf("a", v1::METRIC_KIND_DELTA))->reduction, model::Reduction::kSum);
  EXPECT_EQ(FromProto(MetricOf("a", v1::METRIC_KIND_GAUGE))->reduction, model::Reduction::kMean);
  EXPECT_EQ(FromProto(MetricOf("a", v1::METRIC_KIND_RATIO))->reduction, model::Reduction::kMean);
  EXPECT_EQ(FromProto(MetricOf("a", v1::METRIC_KIND_GAUGE))->better, model::Better::kNeither);
  // A direction that is not said is the catalogue's; one that is said stays.
  v1::Metric throughput = MetricOf("vm-scalability.throughput", v1::METRIC_KIND_GAUGE);
  EXPECT_EQ(FromProto(throughput)->better, model::Better::kHigher);
  throughput.set_better(v1::BETTER_NEITHER);
  EXPECT_EQ(FromProto(throughput)->better, model::Better::kNeither);
  EXPECT_EQ(FromProto(MetricOf("a", v1::METRIC_KIND_GAUGE))->scale, 1);
  EXPECT_THAT(Fields(FromProto(MetricOf("a", v1::METRIC_KIND_UNSPECIFIED)).status()),
              ElementsAre("kind"));
}

TEST(ConvertTest, ASourceIsRefusedForWhatItsContentCannotHave) {
  v1::Source source;
  source.set_source_id(1);
  source.set_name("result");
  source.set_content(v1::SOURCE_CONTENT_DOUBLE_SAMPLES);
  *source.add_metrics() = MetricOf("a", v1::METRIC_KIND_GAUGE);
  EXPECT_TRUE(FromProto(source).ok()) << FromProto(source).status();
  source.mutable_metrics(0)->set_scale(0.01);
  EXPECT_THAT(Fields(FromProto(source, "source").status()), ElementsAre("source.metrics[0].scale"));
  source.set_content(v1::SOURCE_CONTENT_INT_SAMPLES);
  EXPECT_TRUE(FromProto(source).ok());
  *source.add_metrics() = MetricOf("a", v1::METRIC_KIND_GAUGE);
  EXPECT_THAT(Fields(FromProto(source).status()), ElementsAre("metrics[1]"));
  source.mutable_metrics(1)->set_name("b");
  source.mutable_metrics(0)->set_scale(std::numeric_limits<double>::quiet_NaN());
  EXPECT_THAT(Fields(FromProto(source).status()), ElementsAre("metrics[0].scale"));
  source.mutable_metrics(0)->set_scale(1);
  source.set_content(v1::SOURCE_CONTENT_STACKS);
  EXPECT_THAT(Fields(FromProto(source).status()), ElementsAre("metrics"));
  source.set_source_id(1001);
  source.set_content(v1::SOURCE_CONTENT_UNSPECIFIED);
  EXPECT_THAT(Fields(FromProto(source).status()), ElementsAre("source_id", "content"));
}

TEST(ConvertTest, IdsOfCommitsHaveOneSpelling) {
  v1::Commit commit;
  commit.set_commit_id("0123456789ABCDEF0123456789ABCDEF01234567");
  EXPECT_EQ(FromProto(commit)->commit_id, "0123456789abcdef0123456789abcdef01234567");
  commit.set_commit_id("MyTag");
  EXPECT_EQ(FromProto(commit)->commit_id, "MyTag");
  commit.set_commit_id("patch:1@example.org@v6.12");
  EXPECT_THAT(Fields(FromProto(commit).status()), ElementsAre("commit_id"));
  commit.mutable_patch()->set_message_id("<1@example.org>");
  commit.mutable_patch()->set_base_commit_id("v6.12");
  EXPECT_THAT(Fields(FromProto(commit).status()), ElementsAre("patch.message_id"));
  commit.mutable_patch()->set_message_id("1@example.org");
  EXPECT_TRUE(FromProto(commit).ok()) << FromProto(commit).status();
}

TEST(ConvertTest, ALineOfACommitCannotSmuggleAHeaderIntoAMail) {
  v1::Commit commit;
  commit.set_commit_id("x");
  commit.set_subject("mm: swap\nBcc: everybody@example.org");
  EXPECT_THAT(Fields(FromProto(commit, "run.commit").status()), ElementsAre("run.commit.subject"));
}

TEST(ConvertTest, TimesBefore1970CountTheirNanosForward) {
  // google/protobuf/timestamp.proto: "Negative second values with fractions must still have
  // non-negative nanos values that count forward in time."
  google::protobuf::Timestamp out;
  ToProto(model::Time(std::chrono::microseconds(-500000)), &out);
  EXPECT_EQ(out.seconds(), -1);
  EXPECT_EQ(out.nanos(), 500000000);
  EXPECT_EQ(*FromProto(out, "t"), model::Time(std::chrono::microseconds(-500000)));
  out.set_nanos(1000000000);
  EXPECT_THAT(Fields(FromProto(out, "t").status()), ElementsAre("t"));
  out.set_nanos(0);
  out.set_seconds(253402300800);  // date -u -d 10000-01-01 +%s
  EXPECT_THAT(Fields(FromProto(out, "t").status()), ElementsAre("t"));
}

// Each value of a wire enum but UNSPECIFIED becomes another noun, which becomes that value again.
template <typename Proto>
void ExpectOneToOne(const google::protobuf::EnumDescriptor* descriptor) {
  for (int i = 0; i < descriptor->value_count(); ++i) {
    const auto value = static_cast<Proto>(descriptor->value(i)->number());
    const auto model = FromProto(value, "field");
    EXPECT_EQ(model.ok(), value != 0) << descriptor->value(i)->name();
    if (!model.ok()) continue;
    EXPECT_EQ(ToProto(*model), value) << descriptor->value(i)->name();
  }
  const auto newer = FromProto(static_cast<Proto>(1000), "field");
  EXPECT_THAT(Fields(newer.status()), ElementsAre("field"));
}

TEST(ConvertTest, EveryEnumIsKnownOnBothSides) {
  ExpectOneToOne<v1::RunState>(v1::RunState_descriptor());
  ExpectOneToOne<v1::RegressionState>(v1::RegressionState_descriptor());
  ExpectOneToOne<v1::Verdict>(v1::Verdict_descriptor());
}

TEST(ConvertTest, ABlockComesBackAndIndexesOutsideItsColumnAreRefused) {
  v1::ComparisonBlock block;
  AddAxis("testcase", "usemem", block.mutable_axes());
  block.add_compared_axes("nr_task");
  for (const char* value : {"8", "16"}) {
    v1::ComparisonColumn* column = block.add_columns();
    column->mutable_commit()->set_commit_id("v6.12");
    AddAxis("nr_task", value, column->mutable_axes());
    column->add_run_uuids(kUuid);
    column->set_failed_run_count(1);
    column->set_excluded_run_count(2);
    column->mutable_facts()->set_cpu_count(4);
  }
  v1::ComparisonRow* row = block.add_rows();
  *row->mutable_metric() = MetricOf("usemem.throughput", v1::METRIC_KIND_GAUGE);
  row->mutable_metric()->set_better(v1::BETTER_LOWER);
  row->mutable_metric()->set_reduction(v1::REDUCTION_SUM);
  row->mutable_metric()->set_scale(1);
  row->add_cells()->add_values(2.5);
  row->mutable_cells(0)->add_run_index(0);
  row->add_cells()->mutable_judgement()->set_verdict(v1::VERDICT_INCONCLUSIVE);
  block.set_total_row_count(1);

  const auto model = FromProto(block);
  ASSERT_TRUE(model.ok()) << model.status();
  v1::ComparisonBlock back;
  ToProto(*model, &back);
  EXPECT_TRUE(MessageDifferencer::Equals(block, back)) << back.DebugString();

  row->mutable_cells(0)->set_run_index(0, 1);
  EXPECT_THAT(Fields(FromProto(block).status()), ElementsAre("rows[0].cells[0].run_index[0]"));
  row->mutable_cells()->RemoveLast();
  EXPECT_THAT(Fields(FromProto(block).status()), ElementsAre("rows[0].cells"));
}

TEST(ConvertTest, AnEtagIsTheVersionAndNothingElseIsOne) {
  EXPECT_EQ(*VersionOf(EtagOf(42), "etag"), 42);
  for (const char* etag : {"", "x", "42 ", "+42", "042", "-1", "99999999999999999999"}) {
    EXPECT_THAT(Fields(VersionOf(etag, "etag").status()), ElementsAre("etag")) << etag;
  }
}

}  // namespace
}  // namespace regressd::common
