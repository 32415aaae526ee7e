# Connections, transactions, migrations and the embedded cluster.

# By pattern, unlike sources: a migration that is forgotten in a list fails at the customer's.
file(GLOB migrations CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/migrations/V*.sql)
list(SORT migrations COMPARE NATURAL)
set(embedded_migrations ${CMAKE_CURRENT_BINARY_DIR}/embedded_migrations.cc)
add_custom_command(
  OUTPUT ${embedded_migrations}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${embedded_migrations} "-DFILES=${migrations}"
    -P ${CMAKE_CURRENT_SOURCE_DIR}/embed_migrations.cmake
  DEPENDS ${migrations} ${CMAKE_CURRENT_SOURCE_DIR}/embed_migrations.cmake
  VERBATIM)

regressd_library(regressd_storage_core
  SOURCES child_process.cc cluster_draft.cc connection_pool.cc conninfo.cc data_directory.cc embedded_postgres.cc
    migrator.cc postgres_binaries.cc pqxx_compat.cc sql_status.cc transaction.cc
    ${embedded_migrations}
  PUBLIC regressd_call_deadline PkgConfig::PQXX PostgreSQL::PostgreSQL absl::status absl::statusor fmt::fmt
  PRIVATE absl::cleanup OpenSSL::Crypto spdlog::spdlog Threads::Threads)
