#include "services/common/near_name.h"

#include <algorithm>

#include "services/model/edit_distance.h"

namespace regressd::common {
std::string NearName(std::string_view name, std::span<const std::string> known) {
  std::string nearest;
  std::size_t nearest_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = model::EditDistance(name, candidate);
    if (distance < nearest_distance) {
      nearest = candidate;
      nearest_distance = distance;
    }
  }
  return nearest;
}

}  // namespace regressd::common
