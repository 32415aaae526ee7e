#include "services/agent/spool_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <boost/crc.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace regressd::agent {
namespace {

constexpr std::string_view kMagic = "RGSPOOL2";
// Room for the end of a run and the gaps of its sources, behind the magic.
constexpr std::int64_t kReservedBytes = 64 * 1024;
constexpr std::int64_t kReservedBegin = static_cast<std::int64_t>(kMagic.size());
constexpr std::int64_t kRecordsBegin = kReservedBegin + kReservedBytes;
constexpr std::size_t kFrameSize = 8;                       // Length and checksum.
constexpr std::uint32_t kMaxRecordSize = 64 * 1024 * 1024;  // Larger lengths are damage.

std::uint32_t Checksum(std::string_view payload) {
  boost::crc_32_type crc;
  crc.process_bytes(payload.data(), payload.size());
  return crc.checksum();
}

void PutUint32(std::uint32_t value, char* out) {
  for (int i = 0; i < 4; ++i) out[i] = static_cast<char>((value >> (8 * i)) & 0xff);
}

std::uint32_t GetUint32(const char* in) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) {
    value |= std::uint32_t{static_cast<unsigned char>(in[i])} << (8 * i);
  }
  return value;
}

absl::Status SystemError(std::string_view what, const std::filesystem::path& path, int error) {
  const std::string message = fmt::format("{} {}: {}", what, path.string(), std::strerror(error));
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return absl::ResourceExhaustedError(message);
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(message);
    case EEXIST:
      return absl::AlreadyExistsError(message);
    case ENOENT:
      return absl::NotFoundError(message);
    default:
      return absl::UnavailableError(message);
  }
}

bool MoveToFreeName(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  // Not every file system can look and move at once.
  return errno == EINVAL && access(to.c_str(), F_OK) != 0 && rename(from.c_str(), to.c_str()) == 0;
}

}  // namespace

SpoolFile::SpoolFile(SpoolFile&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      end_(other.end_),
      reserved_end_(other.reserved_end_) {}

SpoolFile& SpoolFile::operator=(SpoolFile&& other) noexcept {
  if (this == &other) return *this;
  Close();
  path_ = std::move(other.path_);
  fd_ = std::exchange(other.fd_, -1);
  end_ = other.end_;
  reserved_end_ = other.reserved_end_;
  return *this;
}

SpoolFile::~SpoolFile() { Close(); }

void SpoolFile::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

absl::StatusOr<SpoolFile> SpoolFile::Create(const std::filesystem::path& path) {
  // Under its name it is locked from the first moment: nobody takes it for a dead agent's.
  std::filesystem::path part = path;
  part += ".part";
  const int fd = open(part.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return SystemError("cannot create", path, errno);
  SpoolFile file(part, fd);
  flock(fd, LOCK_EX | LOCK_NB);
  absl::Status status;
  // Written, not left as a hole: a hole has no room on the disk.
  std::string head(kMagic);
  head.resize(static_cast<std::size_t>(kRecordsBegin));
  const ssize_t written = write(fd, head.data(), head.size());
  if (written != static_cast<ssize_t>(head.size())) {
    status = SystemError("cannot write", path, written < 0 ? errno : ENOSPC);
  } else if (!MoveToFreeName(part, path)) {
    status = SystemError("cannot create", path, errno);
  }
  if (!status.ok()) {
    file.Remove();
    return status;
  }
  file.path_ = path;
  file.end_ = kRecordsBegin;
  file.reserved_end_ = kReservedBegin;
  return file;
}

absl::StatusOr<SpoolFile> SpoolFile::Open(const std::filesystem::path& path,
                                          std::vector<std::string>* payloads,
                                          std::vector<RecordPlace>* places,
                                          std::int64_t* dropped_bytes) {
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return SystemError("cannot open", path, errno);
  SpoolFile file(path, fd);
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    return absl::FailedPreconditionError(
        fmt::format("{} is in use by another regress-agent", path.string()));
  }
  // Its holder may have removed or rewritten it between our open and our lock.
  struct stat held = {};
  struct stat named = {};
  if (stat(path.c_str(), &named) != 0) return SystemError("cannot open", path, errno);
  if (fstat(fd, &held) != 0 || held.st_ino != named.st_ino || held.st_dev != named.st_dev) {
    return absl::FailedPreconditionError(
        fmt::format("{} is in use by another regress-agent", path.string()));
  }
  if (absl::Status status = file.ReadAll(payloads, places, dropped_bytes); !status.ok()) {
    return status;
  }
  return file;
}

absl::Status SpoolFile::ReadAll(std::vector<std::string>* payloads,
                                std::vector<RecordPlace>* places, std::int64_t* dropped_bytes) {
  struct stat info = {};
  if (fstat(fd_, &info) != 0) return SystemError("cannot read", path_, errno);
  std::array<char, kFrameSize> frame;
  if (pread(fd_, frame.data(), frame.size(), 0) != static_cast<ssize_t>(frame.size()) ||
      std::string_view(frame.data(), frame.size()) != kMagic) {
    return absl::DataLossError(fmt::format("{} is no spool file", path_.string()));
  }
  std::string payload;
  RecordPlace place;
  end_ = kRecordsBegin;
  while (ReadRecord(info.st_size, &end_, &payload, &place)) {
    payloads->push_back(std::move(payload));
    places->push_back(place);
  }
  reserved_end_ = kReservedBegin;
  while (ReadRecord(kRecordsBegin, &reserved_end_, &payload, &place)) {
    payloads->push_back(std::move(payload));
    places->push_back(place);
  }
  *dropped_bytes = info.st_size - end_;
  if (*dropped_bytes > 0 && ftruncate(fd_, end_) != 0) {
    return SystemError("cannot repair", path_, errno);
  }
  return absl::OkStatus();
}

bool SpoolFile::ReadRecord(std::int64_t limit, std::int64_t* at, std::string* payload,
                           RecordPlace* place) const {
  std::array<char, kFrameSize> frame;
  if (pread(fd_, frame.data(), frame.size(), *at) != static_cast<ssize_t>(frame.size())) {
    return false;
  }
  const std::uint32_t size = GetUint32(frame.data());
  const std::int64_t offset = *at + static_cast<std::int64_t>(kFrameSize);
  if (size == 0 || size > kMaxRecordSize || offset + size > limit) return false;
  *place = {.offset = offset, .size_bytes = size};
  absl::StatusOr<std::string> read = Read(*place);
  if (!read.ok() || Checksum(*read) != GetUint32(frame.data() + 4)) return false;
  *payload = *std::move(read);
  *at = offset + size;
  return true;
}

absl::StatusOr<RecordPlace> SpoolFile::WriteRecord(std::string_view payload, std::int64_t at) {
  std::array<char, kFrameSize> frame;
  PutUint32(static_cast<std::uint32_t>(payload.size()), frame.data());
  PutUint32(Checksum(payload), frame.data() + 4);
  std::array<iovec, 2> parts = {
      iovec{.iov_base = frame.data(), .iov_len = frame.size()},
      iovec{.iov_base = const_cast<char*>(payload.data()), .iov_len = payload.size()}};
  const ssize_t total = static_cast<ssize_t>(frame.size() + payload.size());
  const ssize_t written = pwritev(fd_, parts.data(), static_cast<int>(parts.size()), at);
  // A short write is a full disk or a limit.
  if (written != total) return SystemError("cannot write", path_, written < 0 ? errno : ENOSPC);
  return RecordPlace{.offset = at + static_cast<std::int64_t>(frame.size()),
                     .size_bytes = static_cast<std::uint32_t>(payload.size())};
}

absl::StatusOr<RecordPlace> SpoolFile::Append(std::string_view payload) {
  absl::StatusOr<RecordPlace> place = WriteRecord(payload, end_);
  if (!place.ok()) {
    // The half record must not stay in front of later ones.
    if (ftruncate(fd_, end_) != 0) return SystemError("cannot repair", path_, errno);
    return place;
  }
  end_ = place->offset + place->size_bytes;
  return place;
}

absl::StatusOr<RecordPlace> SpoolFile::AppendReserved(std::string_view payload) {
  const std::int64_t size = static_cast<std::int64_t>(kFrameSize + payload.size());
  if (reserved_end_ + size > kRecordsBegin) {
    return absl::ResourceExhaustedError(
        fmt::format("{} has no room set aside any more", path_.string()));
  }
  absl::StatusOr<RecordPlace> place = WriteRecord(payload, reserved_end_);
  if (place.ok()) reserved_end_ += size;
  return place;
}

absl::StatusOr<std::string> SpoolFile::Read(const RecordPlace& place) const {
  std::string payload(place.size_bytes, '\0');
  const ssize_t got = pread(fd_, payload.data(), payload.size(), place.offset);
  if (got != static_cast<ssize_t>(payload.size())) {
    return SystemError("cannot read", path_, got < 0 ? errno : EIO);
  }
  return payload;
}

absl::Status SpoolFile::ReplaceBy(SpoolFile other) {
  if (rename(other.path_.c_str(), path_.c_str()) != 0) {
    const absl::Status status = SystemError("cannot replace", path_, errno);
    other.Remove();
    return status;
  }
  std::swap(fd_, other.fd_);
  end_ = other.end_;
  reserved_end_ = other.reserved_end_;
  return absl::OkStatus();
}

void SpoolFile::Remove() {
  unlink(path_.c_str());
  Close();
}

}  // namespace regressd::agent
