regressd_test(catalog_test LABELS unit corpus SOURCES catalog_machine_test.cc catalog_test.cc
  LIBS regressd_model regressd_test_shared_data)
