regressd_library(regressd_test_copy_decoder
  SOURCES copy_decoder.cc
  PUBLIC regressd_model absl::status absl::statusor
  PRIVATE fmt::fmt)

# Runs, sources and batches for tests.
regressd_library(regressd_test_ingest_builders
  SOURCES ingest_builders.cc
  PUBLIC regressd_storage_ingest
  PRIVATE fmt::fmt)

# Faults at exact places between committers and a store.
regressd_library(regressd_test_intercepted_store
  SOURCES intercepted_store.cc
  PUBLIC regressd_storage_ingest)

# An agent without gRPC.
regressd_library(regressd_test_fake_agent
  SOURCES fake_agent.cc
  PUBLIC regressd_ingest regressd_test_ingest_builders
  PRIVATE regressd_common)

# A Push of any bytes.
regressd_library(regressd_test_raw_push
  SOURCES raw_push.cc
  PUBLIC regressd_services gRPC::grpc++)
