#pragma once

#include <optional>
#include <string>

#include "core/base/json.h"
#include "core/base/statistics.h"

namespace runahead::apps {

/// Sets `key` to the median, `key`_min and `key`_max; all three null for nullopt.
void add_spread(Json& object, const std::string& key, const std::optional<Spread>& spread);

/// The spread set by add_spread, as "1.02 (0.98 to 1.1)"; "-" if it is missing or null.
/// @param pattern  A printf format for one double.
[[nodiscard]] std::string spread_text(const Json& object, const std::string& key,
                                      const char* pattern);

/// The same with three significant digits, and a comma between thousands.
/// @param scale  Factor for the figures: 100 for per cent.
/// @param unit   Appended to each number.
[[nodiscard]] std::string three_digit_spread(const Json& object, const std::string& key,
                                             double scale = 1.0, const std::string& unit = "");

}  // namespace runahead::apps
