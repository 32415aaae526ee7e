# Connections, migrations, the embedded cluster.
regressd_test(migrator_test
  LABELS storage
  SOURCES migrator_test.cc
  LIBS regressd_test_support_db)
