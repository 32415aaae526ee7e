# One contract suite on both sets of stores, so that the fake cannot drift. Compiled once.
add_library(store_contract OBJECT
  base_contract_test.cc
  block_contract_test.cc
  commit_contract_test.cc
  contract_fixture.cc
  group_contract_test.cc
  hostile_text_contract_test.cc
  queue_contract_test.cc
  regression_contract_test.cc
  run_contract_test.cc
  sample_contract_test.cc)
target_link_libraries(store_contract PRIVATE
  regressd_flags regressd_storage_ingest GTest::gmock fmt::fmt)

regressd_test(memory_store_contract_test
  LABELS unit tsan
  SOURCES memory_store_under_test.cc $<TARGET_OBJECTS:store_contract>
  LIBS regressd_storage_ingest regressd_test_memory_store fmt::fmt)

regressd_test(pg_store_contract_test
  LABELS storage
  SOURCES pg_store_under_test.cc $<TARGET_OBJECTS:store_contract>
  LIBS regressd_storage_ingest regressd_storage_pg regressd_test_support_db fmt::fmt)

regressd_test(storage_rules_test
  LABELS unit
  SOURCES near_names_test.cc regression_rules_test.cc row_codec_test.cc
  LIBS regressd_storage_rules)

# A database of the first release comes up to today's schema.
regressd_test(upgrade_test
  LABELS storage
  SOURCES upgrade_test.cc
  LIBS regressd_storage_pg regressd_test_support_db)
target_compile_definitions(upgrade_test PRIVATE REGRESSD_TEST_DATA="${CMAKE_CURRENT_SOURCE_DIR}/data")

regressd_test(pg_odd_rows_test
  LABELS storage
  SOURCES pg_odd_rows_test.cc
  LIBS regressd_storage_ingest regressd_storage_pg regressd_test_ingest_builders regressd_test_support_db)
