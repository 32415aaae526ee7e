regressd_test(model_test
  LABELS unit
  SOURCES axes_test.cc commit_test.cc edit_distance_test.cc metric_test.cc names_test.cc profile_name_test.cc run_test.cc
  LIBS regressd_model)
