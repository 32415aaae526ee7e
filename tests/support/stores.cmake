regressd_library(regressd_test_memory_store
  SOURCES memory_commits.cc memory_ingest.cc memory_queue.cc memory_regressions.cc memory_runs.cc
    memory_state.cc memory_store.cc memory_values.cc
  PUBLIC regressd_model absl::status absl::statusor
  PRIVATE regressd_reduce regressd_storage_rules regressd_test_copy_decoder fmt::fmt)
