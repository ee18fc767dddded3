#pragma once

#include <optional>
#include <string>

#include "core/base/json.h"
#include "core/base/spread.h"

namespace runahead::apps {

/// Sets `key` to the median, `key`_min and `key`_max; all three null for nullopt.
void add_spread(Json& object, const std::string& key, const std::optional<Spread>& spread);

/// What add_spread set, as "1.02 (0.98 to 1.1)"; "-" if it is not there or null.
/// @param pattern  printf's, of one double.
/// @param scale    What the figures are multiplied with: 100 for per cent.
[[nodiscard]] std::string spread_text(const Json& object, const std::string& key,
                                      const char* pattern, double scale = 1.0);

}  // namespace runahead::apps
