#pragma once

#include <google/protobuf/repeated_ptr_field.h>
#include <google/protobuf/timestamp.pb.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "regressd/v1/compare_service.pb.h"
#include "regressd/v1/ingest_service.pb.h"
#include "regressd/v1/model.pb.h"
#include "regressd/v1/regression_service.pb.h"
#include "services/model/comparison.h"
#include "services/model/regression.h"
#include "services/model/run.h"

/// Between the nouns and their wire form: one place for the server's rooms and for both clients.
///
/// ToProto fills an empty `*out`. FromProto checks the message whole against the limits that the
/// protos state and returns InvalidArgument with every wrong field as a violation; each names the
/// field, what is wrong and what to do. `path` is where the message stands in the request ("run" in
/// a Hello), put in front of the fields' names. Text must be UTF-8 without NUL; names and whatever
/// is one line must be free of control characters.
namespace regressd::common {

using AxisList = google::protobuf::RepeatedPtrField<v1::Axis>;

void ToProto(model::Time time, google::protobuf::Timestamp* out);
/// Digits below a microsecond are cut off.
absl::StatusOr<model::Time> FromProto(const google::protobuf::Timestamp& time,
                                      std::string_view path);

void ToProto(const model::Axes& axes, AxisList* out);
/// Errors: also for a key that stands twice. `path` is the name of the list: "axes".
absl::StatusOr<model::Axes> FromProto(const AxisList& axes, std::string_view path);

void ToProto(const model::Metric& metric, v1::Metric* out);
/// `better` not said is kNeither; `reduction` not said follows from the kind (counter: kDelta,
/// delta: kSum, else kMean); scale 0 is 1.
absl::StatusOr<model::Metric> FromProto(const v1::Metric& metric, std::string_view path = {});

void ToProto(const model::Source& source, v1::Source* out);
/// Errors: also for metrics of one name, a scale other than 1 unless content is INT_SAMPLES, STACKS
/// with other than one metric.
absl::StatusOr<model::Source> FromProto(const v1::Source& source, std::string_view path = {});

void ToProto(const model::Commit& commit, v1::Commit* out);
/// Needs a commit_id or a patch; a patch makes the commit_id. Hex digits of a full id become lower
/// case.
absl::StatusOr<model::Commit> FromProto(const v1::Commit& commit, std::string_view path = {});

void ToProto(const model::MachineFacts& facts, v1::MachineFacts* out);
absl::StatusOr<model::MachineFacts> FromProto(const v1::MachineFacts& facts,
                                              std::string_view path = {});

void ToProto(const model::RunSpec& spec, v1::RunSpec* out);
/// Needs the axis testcase, a commit and a start time; adds the axis tbox_group from the testbox
/// when it is missing.
absl::StatusOr<model::RunSpec> FromProto(const v1::RunSpec& spec, std::string_view path = {});

void ToProto(const model::RunOutcome& outcome, v1::RunOutcome* out);
absl::StatusOr<model::RunOutcome> FromProto(const v1::RunOutcome& outcome,
                                            std::string_view path = {});

void ToProto(const model::SourceInfo& info, v1::SourceInfo* out);
void ToProto(const model::Run& run, v1::Run* out);
/// What a source holds is not on the wire: SourceInfo::content stays at its default.
absl::StatusOr<model::Run> FromProto(const v1::Run& run, std::string_view path = {});

void ToProto(const model::Judgement& judgement, v1::Judgement* out);
absl::StatusOr<model::Judgement> FromProto(const v1::Judgement& judgement,
                                           std::string_view path = {});

/// The block's header, without rows.
void ToProtoHeader(const model::ComparisonBlock& block, v1::ComparisonBlock* out);
void ToProto(const model::Row& row, v1::ComparisonRow* out);
/// Header and all rows.
void ToProto(const model::ComparisonBlock& block, v1::ComparisonBlock* out);
absl::StatusOr<model::ComparisonBlock> FromProto(const v1::ComparisonBlock& block,
                                                 std::string_view path = {});

void ToProto(const model::Regression& regression, v1::Regression* out);
absl::StatusOr<model::Regression> FromProto(const v1::Regression& regression,
                                            std::string_view path = {});

void ToProto(const model::RegressionEvent& event, v1::RegressionEvent* out);
absl::StatusOr<model::RegressionEvent> FromProto(const v1::RegressionEvent& event,
                                                 std::string_view path = {});

v1::RunState ToProto(model::RunState state);
absl::StatusOr<model::RunState> FromProto(v1::RunState state, std::string_view path);
v1::RegressionState ToProto(model::RegressionState state);
absl::StatusOr<model::RegressionState> FromProto(v1::RegressionState state, std::string_view path);
v1::Verdict ToProto(model::Verdict verdict);
absl::StatusOr<model::Verdict> FromProto(v1::Verdict verdict, std::string_view path);

/// A regression's version as its etag, and back. Errors: InvalidArgument for a text that is no etag
/// of ours.
std::string EtagOf(std::int64_t version);
absl::StatusOr<std::int64_t> VersionOf(std::string_view etag, std::string_view path);

}  // namespace regressd::common
