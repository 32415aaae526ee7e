regressd_test(copy_binary_test
  LABELS unit
  SOURCES copy_binary_test.cc
  LIBS regressd_storage_ingest regressd_test_copy_decoder)

regressd_test(pg_ingest_store_test
  LABELS storage
  SOURCES pg_ingest_store_test.cc partitions_test.cc
  LIBS regressd_storage_ingest regressd_test_ingest_builders regressd_test_support_db)

regressd_test(committer_test
  LABELS unit tsan
  SOURCES committer_test.cc
  LIBS regressd_storage_ingest regressd_test_ingest_builders regressd_test_intercepted_store
    regressd_test_memory_store)

regressd_test(pg_committer_test
  LABELS storage
  SOURCES pg_committer_test.cc
  LIBS regressd_storage_ingest regressd_test_ingest_builders regressd_test_support_db fmt::fmt)
