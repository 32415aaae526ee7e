# What agents send: encoding, the store on raw libpq, the committers, the partitions.
regressd_library(regressd_storage_ingest
  SOURCES copy_binary.cc
  PUBLIC regressd_model absl::status absl::statusor)
