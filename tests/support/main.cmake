# A database for a test.
regressd_library(regressd_test_support_db
  SOURCES temporary_directory.cc test_database.cc
  PUBLIC regressd_storage_core
  PRIVATE absl::cleanup)
target_compile_definitions(regressd_test_support_db PRIVATE
  REGRESSD_TEST_CACHE_DIR="${CMAKE_BINARY_DIR}/tests/cache")
