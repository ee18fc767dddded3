#include "core/base/timestamp.h"

#include <array>
#include <ctime>

namespace runahead {

std::string utc_timestamp() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y%m%d-%H%M%S", &utc);
  return text.data();
}

}  // namespace runahead
