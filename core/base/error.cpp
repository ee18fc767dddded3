#include "core/base/error.h"

namespace runahead {

std::string first_line(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

namespace detail {

void throw_usage_error(const char* file, int line, const char* condition,
                       const std::string& message) {
  throw UsageError(message + " (" + condition + " does not hold at " + file + ":" +
                   std::to_string(line) + ")");
}

}  // namespace detail

}  // namespace runahead
