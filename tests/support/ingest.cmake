regressd_library(regressd_test_copy_decoder
  SOURCES copy_decoder.cc
  PUBLIC regressd_model absl::status absl::statusor
  PRIVATE fmt::fmt)
