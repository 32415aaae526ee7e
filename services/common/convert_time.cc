#include <fmt/format.h>

#include <chrono>

#include "services/common/convert.h"
#include "services/common/error_details.h"

namespace regressd::common {
namespace {

using std::chrono::duration_cast;
using std::chrono::microseconds;
using std::chrono::seconds;

// google.protobuf.Timestamp: the years 1 to 9999.
constexpr std::int64_t kMinSeconds = -62135596800;
constexpr std::int64_t kMaxSeconds = 253402300799;

}  // namespace

void ToProto(model::Time time, google::protobuf::Timestamp* out) {
  // Floor: nanos count forward also before 1970.
  const auto whole = std::chrono::floor<seconds>(time.time_since_epoch());
  const microseconds rest = time.time_since_epoch() - whole;
  out->set_seconds(whole.count());
  out->set_nanos(static_cast<std::int32_t>(rest.count() * 1000));
}

absl::StatusOr<model::Time> FromProto(const google::protobuf::Timestamp& time,
                                      std::string_view path) {
  if (time.seconds() < kMinSeconds || time.seconds() > kMaxSeconds || time.nanos() < 0 ||
      time.nanos() > 999999999) {
    return InvalidField(path, fmt::format("is {} s and {} ns; must be in the years 1 to 9999 with "
                                          "0 to 999999999 ns",
                                          time.seconds(), time.nanos()));
  }
  return model::Time(seconds(time.seconds()) + microseconds(time.nanos() / 1000));
}

}  // namespace regressd::common
