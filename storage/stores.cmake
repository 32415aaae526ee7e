# The rules that every store keeps, on plain values: what PostgreSQL and the in-memory fake share.
regressd_library(regressd_storage_rules
  SOURCES base_rules.cc commit_cycles.cc commit_names.cc commit_rules.cc near_names.cc regression_rules.cc reduced_values.cc
    row_codec.cc run_prefix.cc storable_text.cc stored_block.cc
  PUBLIC regressd_codec regressd_model regressd_reduce absl::status absl::statusor
  PRIVATE regressd_text fmt::fmt nlohmann_json::nlohmann_json)

# What is read and judged, on PostgreSQL.
regressd_library(regressd_storage_pg
  SOURCES pg_add_commits.cc pg_base_choice.cc pg_commit_store.cc pg_detection_queue.cc
    pg_detection_writer.cc pg_link_names.cc pg_metric_rows.cc pg_regression_rows.cc pg_regression_store.cc
    pg_rows.cc pg_run_data.cc pg_run_groups.cc pg_run_rows.cc pg_run_store.cc pg_sample_columns.cc
  PUBLIC regressd_model regressd_storage_core absl::status absl::statusor
  PRIVATE regressd_storage_rules fmt::fmt)
