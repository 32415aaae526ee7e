#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace regressd::agent {

/// Where a record stands in its file.
struct RecordPlace {
  std::int64_t offset = 0;  ///< Of the payload.
  std::uint32_t size_bytes = 0;
};

/// A file of records, each with its length and checksum, locked against a second process: they are
/// appended, but for a few last ones that have their room from the beginning. Thread-compatible.
///
/// Survives the death of its process at any point: what Append returned OK for is there again; a
/// record torn by the death is cut off by Open. It is not flushed to the disk, so the machine's own
/// death may cost the last seconds.
class SpoolFile {
 public:
  /// A new, private file. Errors: AlreadyExists; PermissionDenied, Unavailable from the system.
  static absl::StatusOr<SpoolFile> Create(const std::filesystem::path& path);

  /// An existing file; `*payloads` gets all intact records, `*places` where they stand, and
  /// `*dropped_bytes` how much was cut off behind the last intact one.
  /// Errors: NotFound when it is gone; FailedPrecondition when another process holds it; DataLoss
  /// when it is no spool file.
  static absl::StatusOr<SpoolFile> Open(const std::filesystem::path& path,
                                        std::vector<std::string>* payloads,
                                        std::vector<RecordPlace>* places,
                                        std::int64_t* dropped_bytes);

  SpoolFile(SpoolFile&& other) noexcept;
  SpoolFile& operator=(SpoolFile&& other) noexcept;
  ~SpoolFile();

  /// All or nothing: a record that did not fit is taken back. Errors: ResourceExhausted when the
  /// disk is full, Unavailable for other errors of the system.
  absl::StatusOr<RecordPlace> Append(std::string_view payload);
  /// Into the room that Create set aside, which a full disk cannot take away; Open gives these
  /// records behind all others. Errors: ResourceExhausted when it is used up.
  absl::StatusOr<RecordPlace> AppendReserved(std::string_view payload);
  absl::StatusOr<std::string> Read(const RecordPlace& place) const;

  /// Gives the file the contents of `other`, which is closed and vanishes from its own path.
  absl::Status ReplaceBy(SpoolFile other);
  void Remove();

  const std::filesystem::path& path() const { return path_; }
  std::int64_t size_bytes() const { return end_; }

 private:
  SpoolFile(std::filesystem::path path, int fd) : path_(std::move(path)), fd_(fd) {}
  absl::Status ReadAll(std::vector<std::string>* payloads, std::vector<RecordPlace>* places,
                       std::int64_t* dropped_bytes);
  /// The record at `*at`, which is moved behind it; false when none that is whole ends at `limit`.
  bool ReadRecord(std::int64_t limit, std::int64_t* at, std::string* payload,
                  RecordPlace* place) const;
  absl::StatusOr<RecordPlace> WriteRecord(std::string_view payload, std::int64_t at);
  void Close();

  std::filesystem::path path_;
  int fd_ = -1;
  std::int64_t end_ = 0;
  std::int64_t reserved_end_ = 0;  ///< Of what is used of the room set aside.
};

}  // namespace regressd::agent
