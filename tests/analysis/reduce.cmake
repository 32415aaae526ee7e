regressd_test(reduce_test
  LABELS unit
  SOURCES reduce_test.cc reduce_observations_test.cc
  LIBS regressd_reduce)
