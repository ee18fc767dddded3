#pragma once

#include <string>

namespace runahead {

/// The current time in UTC as 20260131-235959, for file names.
[[nodiscard]] std::string utc_timestamp();

/// The same as 2026-01-31T23:59:59Z (ISO 8601), for records.
[[nodiscard]] std::string utc_time();

}  // namespace runahead
