regressd_test(copy_binary_test
  LABELS unit
  SOURCES copy_binary_test.cc
  LIBS regressd_storage_ingest regressd_test_copy_decoder)
