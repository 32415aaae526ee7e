regressd_library(regressd_test_copy_decoder
  SOURCES copy_decoder.cc
  PUBLIC regressd_model absl::status absl::statusor
  PRIVATE fmt::fmt)

# Runs, sources and batches for tests.
regressd_library(regressd_test_ingest_builders
  SOURCES ingest_builders.cc
  PUBLIC regressd_storage_ingest
  PRIVATE fmt::fmt)
