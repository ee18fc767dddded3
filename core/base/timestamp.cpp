#include "core/base/timestamp.h"

#include <array>
#include <ctime>

namespace runahead {
namespace {

std::string now_as(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), format, &utc);
  return text.data();
}

}  // namespace

std::string utc_timestamp() { return now_as("%Y%m%d-%H%M%S"); }

std::string utc_time() { return now_as("%Y-%m-%dT%H:%M:%SZ"); }

}  // namespace runahead
