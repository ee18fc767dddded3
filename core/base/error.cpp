#include "core/base/error.h"

namespace runahead::detail {

void throw_usage_error(const char* file, int line, const char* condition,
                       const std::string& message) {
  throw UsageError(message + " (" + condition + " does not hold at " + file + ":" +
                   std::to_string(line) + ")");
}

}  // namespace runahead::detail
