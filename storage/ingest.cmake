# What agents send: encoding, the store on raw libpq, the committers, the partitions.
regressd_library(regressd_storage_ingest
  SOURCES batch_group.cc commit_queue.cc commit_script.cc committer.cc committer_pool.cc
    copy_binary.cc ingest_stream.cc libpq_connection.cc partitions.cc pg_declare_source.cc
    pg_end_run.cc pg_ingest_store.cc pg_open_commit.cc pg_open_run.cc pg_reduce_run.cc run_ender.cc
    store_link.cc
  PUBLIC regressd_model absl::status absl::statusor PostgreSQL::PostgreSQL
    Threads::Threads
  PRIVATE regressd_reduce regressd_storage_core regressd_storage_rules fmt::fmt spdlog::spdlog)
