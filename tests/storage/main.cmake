# Connections, migrations, the embedded cluster.
regressd_test(migrator_test
  LABELS storage
  SOURCES migrator_test.cc
  LIBS regressd_test_support_db)
regressd_test(embedded_postgres_test
  LABELS storage
  SOURCES embedded_postgres_test.cc
  LIBS regressd_test_support_db)
regressd_test(connection_pool_test
  LABELS storage tsan
  SOURCES connection_pool_test.cc
  LIBS regressd_test_support_db)
