regressd_test(reduce_test
  LABELS unit
  SOURCES profile_shares_test.cc reduce_test.cc reduce_observations_test.cc
  LIBS regressd_reduce)
