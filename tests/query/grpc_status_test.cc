#include "services/common/grpc_status.h"

#include <gmock/gmock.h>

#include <string>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "services/common/error_details.h"
#include "services/common/text_check.h"

namespace regressd::common {
namespace {

TEST(GrpcStatusTest, CodeAndMessageStay) {
  const grpc::Status status = ToGrpc(absl::NotFoundError("no such run"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(status.error_message(), "no such run");
  EXPECT_EQ(FromGrpc(status), absl::NotFoundError("no such run"));
  EXPECT_TRUE(ToGrpc(absl::OkStatus()).ok());
  EXPECT_TRUE(FromGrpc(grpc::Status::OK).ok());
}

TEST(GrpcStatusTest, FieldViolationsTravelAsGoogleRpcStatus) {
  const grpc::Status status = ToGrpc(InvalidFields(
      {{"axes[1].key", "is empty; set it"}, {"commit.commit_id", "is empty; set it"}}));
  google::rpc::Status wire;
  ASSERT_TRUE(wire.ParseFromString(status.error_details()));
  EXPECT_EQ(wire.code(), 3);  // google.rpc.Code: INVALID_ARGUMENT.
  EXPECT_EQ(wire.message(), status.error_message());
  ASSERT_EQ(wire.details_size(), 1);
  google::rpc::BadRequest details;
  ASSERT_TRUE(wire.details(0).UnpackTo(&details));
  ASSERT_EQ(details.field_violations_size(), 2);
  EXPECT_EQ(details.field_violations(0).field(), "axes[1].key");
  EXPECT_EQ(details.field_violations(1).description(), "is empty; set it");
}

TEST(GrpcStatusTest, AClientReadsEachViolationOnce) {
  const absl::Status status = FromGrpc(ToGrpc(InvalidField("reason", "is empty; set it")));
  EXPECT_EQ(std::string(status.message()), "reason is empty; set it");

  // Beyond the fifth they are in the details alone.
  std::vector<FieldViolation> violations;
  for (int i = 0; i < 7; ++i) violations.push_back({"axes[" + std::to_string(i) + "]", "is empty"});
  const std::string message(FromGrpc(ToGrpc(InvalidFields(violations))).message());
  for (const FieldViolation& violation : violations) {
    const std::string line = violation.field + " is empty";
    EXPECT_NE(message.find(line), std::string::npos) << message;
    EXPECT_EQ(message.find(line), message.rfind(line)) << message;
  }
}

TEST(GrpcStatusTest, CausesTravelWithTheirDomain) {
  const grpc::Status status = ToGrpc(WithErrorInfo(absl::FailedPreconditionError("nothing"),
                                                   {"NOTHING_TO_COMPARE", {{"columns[0]", "0"}}}));
  google::rpc::Status wire;
  ASSERT_TRUE(wire.ParseFromString(status.error_details()));
  google::rpc::ErrorInfo info;
  ASSERT_TRUE(wire.details(0).UnpackTo(&info));
  EXPECT_EQ(info.reason(), "NOTHING_TO_COMPARE");
  EXPECT_EQ(info.domain(), "regressd");
  EXPECT_EQ(info.metadata().at("columns[0]"), "0");
}

TEST(GrpcStatusTest, WhatMayBeRetriedSaysWhen) {
  for (const absl::Status& status :
       {absl::UnavailableError("away"), absl::ResourceExhaustedError("full")}) {
    google::rpc::Status wire;
    ASSERT_TRUE(wire.ParseFromString(ToGrpc(status).error_details()));
    google::rpc::RetryInfo retry;
    ASSERT_TRUE(wire.details(0).UnpackTo(&retry));
    EXPECT_EQ(retry.retry_delay().seconds(), 1);
  }
  EXPECT_EQ(ToGrpc(absl::AbortedError("changed")).error_details(), "");
}

TEST(GrpcStatusTest, HoweverMuchIsWrongTheTrailersStayBelowWhatClientsTake) {
  std::vector<FieldViolation> violations;
  for (int i = 0; i < 1000; ++i) {
    violations.push_back({std::string(500, 'f'), std::string(5000, 'd')});
  }
  const grpc::Status status = ToGrpc(InvalidFields(violations));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_FALSE(FieldViolationsOf(FromGrpc(status)).empty());
  // base64 is 4/3; gRPC's clients refuse metadata above 8 KiB (GRPC_ARG_MAX_METADATA_SIZE).
  EXPECT_LT(status.error_message().size() + status.error_details().size() * 4 / 3, 8000u);
}

TEST(GrpcStatusTest, ALongMessageIsCutBetweenCharacters) {
  std::string message;
  while (message.size() < 5000) message += "\xE2\x82\xAC";
  const grpc::Status status = ToGrpc(absl::NotFoundError(message));
  EXPECT_LE(status.error_message().size(), 1000u);
  EXPECT_TRUE(IsUtf8(status.error_message()));
}

}  // namespace
}  // namespace regressd::common
