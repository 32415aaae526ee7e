#include "services/agent/setup/swap_header.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "services/agent/setup/machine.h"
#include "services/agent/unique_fd.h"

namespace regressd::agent {
namespace {

// include/linux/swap.h of the kernel: `info` begins behind the boot block, the magic ends the page.
constexpr std::size_t kInfoOffset = 1024;
constexpr std::size_t kUuidOffset = kInfoOffset + 3 * sizeof(std::uint32_t);
constexpr std::size_t kUuidBytes = 16;
constexpr std::size_t kLabelOffset = kUuidOffset + kUuidBytes;
constexpr std::string_view kLabel = "regressd";
constexpr std::string_view kMagic = "SWAPSPACE2";

std::size_t PageBytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

/// The bytes of "xxxxxxxx-xxxx-...", in the order of its digits.
std::array<unsigned char, kUuidBytes> UuidBytes(std::string_view uuid) {
  std::array<unsigned char, kUuidBytes> bytes{};
  std::size_t digit_count = 0;
  for (const char c : uuid) {
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0 || digit_count >= 2 * kUuidBytes) continue;
    unsigned char& byte = bytes[digit_count / 2];
    byte = static_cast<unsigned char>(byte << 4 | digit);
    ++digit_count;
  }
  return bytes;
}

std::string UuidText(const unsigned char* bytes) {
  std::string text;
  for (std::size_t i = 0; i < kUuidBytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", bytes[i]);
  }
  return text;
}

void PutNative(std::uint32_t value, std::size_t offset, std::vector<unsigned char>* page) {
  std::memcpy(page->data() + offset, &value, sizeof value);
}

}  // namespace

absl::Status WriteSwapHeader(const std::filesystem::path& path, std::int64_t size_bytes,
                             std::string_view uuid) {
  std::vector<unsigned char> page(PageBytes());
  const auto page_count = static_cast<std::uint64_t>(size_bytes) / page.size();
  PutNative(1, kInfoOffset, &page);
  // The kernel counts pages of a swap space in 32 bits here.
  PutNative(static_cast<std::uint32_t>(std::min<std::uint64_t>(page_count - 1, UINT32_MAX)),
            kInfoOffset + sizeof(std::uint32_t), &page);
  const auto uuid_bytes = UuidBytes(uuid);
  std::memcpy(page.data() + kUuidOffset, uuid_bytes.data(), uuid_bytes.size());
  std::memcpy(page.data() + kLabelOffset, kLabel.data(), kLabel.size());
  std::memcpy(page.data() + page.size() - kMagic.size(), kMagic.data(), kMagic.size());
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.valid()) return SystemFailure("open", path, errno);
  const ssize_t written = pwrite(file.get(), page.data(), page.size(), 0);
  if (written != static_cast<ssize_t>(page.size())) {
    return SystemFailure("write the swap header of", path, written < 0 ? errno : ENOSPC);
  }
  if (fsync(file.get()) != 0) return SystemFailure("write the swap header of", path, errno);
  return absl::OkStatus();
}

std::string ReadSwapUuid(const std::filesystem::path& path) {
  std::vector<unsigned char> page(PageBytes());
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return "";
  if (pread(file.get(), page.data(), page.size(), 0) != static_cast<ssize_t>(page.size()))
    return "";
  const unsigned char* magic = page.data() + page.size() - kMagic.size();
  if (std::memcmp(magic, kMagic.data(), kMagic.size()) != 0) return "";
  return UuidText(page.data() + kUuidOffset);
}

}  // namespace regressd::agent
