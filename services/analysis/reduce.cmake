# From the samples of one run to its run values.
regressd_library(regressd_reduce
  SOURCES profile_shares.cc reduce.cc reduce_observations.cc
  PUBLIC regressd_model)
