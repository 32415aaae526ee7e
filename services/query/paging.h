#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace regressd::query {

/// Clients receive messages of up to 4 MiB unless they ask for more: no answer is much above this
/// size, pages end early.
inline constexpr std::size_t kMaxAnswerBytes = 3 << 20;

struct PageLimits {
  std::int32_t default_size = 100;
  std::int32_t max_size = 1000;
};

/// Which page of a list a request asks for.
struct Page {
  std::int32_t size = 0;              ///< Items, at least 1.
  std::vector<std::string> position;  ///< Where the last page ended; empty for the first page.
  std::string parameters;             ///< What a token is bound to.
};

/// The token of the page after `position`, whose parts are free of NUL. Opaque; it holds a checksum
/// over the parameters, so that it continues only the list that it was made for.
std::string NextPageToken(const Page& page, std::initializer_list<std::string> position);

/// Clamps the size and reads the token, whose position has `part_count` parts.
/// Errors: InvalidArgument for a negative size, a token that is none of ours, or one of other
/// parameters.
absl::StatusOr<Page> MakePage(std::int32_t size, std::string_view token, std::string parameters,
                              PageLimits limits, std::size_t part_count);

/// The page of a request with page_size and page_token; every other field binds the token.
template <typename Request>
absl::StatusOr<Page> PageOf(const Request& request, PageLimits limits, std::size_t part_count) {
  Request parameters = request;
  parameters.clear_page_size();
  parameters.clear_page_token();
  return MakePage(request.page_size(), request.page_token(),
                  parameters.GetTypeName() + '\0' + parameters.SerializeAsString(), limits,
                  part_count);
}

/// A whole decimal number of a position. Errors: InvalidArgument.
absl::StatusOr<std::int64_t> PositionNumber(const std::string& part);

/// How much of an answer is left. The first item always fits, so that every page moves on.
class AnswerBudget {
 public:
  explicit AnswerBudget(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Takes `bytes` for one more item; false when it no longer fits.
  bool Take(std::size_t bytes);

 private:
  std::size_t max_bytes_;
  std::size_t used_bytes_ = 0;
  bool empty_ = true;
};

}  // namespace regressd::query
