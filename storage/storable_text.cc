#include "storage/storable_text.h"

#include <fmt/format.h>

#include "services/common/text_check.h"

namespace regressd::storage {

absl::Status CheckStorable(std::string_view what, std::string_view text) {
  if (text.find('\0') != std::string_view::npos) {
    return absl::InvalidArgumentError(fmt::format("{}: text has a NUL byte; leave it out", what));
  }
  if (!common::IsUtf8(text)) {
    return absl::InvalidArgumentError(fmt::format("{}: text is no UTF-8; convert it", what));
  }
  return absl::OkStatus();
}

}  // namespace regressd::storage
