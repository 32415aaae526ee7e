# The rules that every store keeps, on plain values: what PostgreSQL and the in-memory fake share.
regressd_library(regressd_storage_rules
  SOURCES commit_names.cc commit_rules.cc near_names.cc regression_rules.cc row_codec.cc run_prefix.cc storable_text.cc
  PUBLIC regressd_model absl::status absl::statusor
  PRIVATE regressd_text fmt::fmt nlohmann_json::nlohmann_json)
