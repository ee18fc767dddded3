#pragma once

#include <string>

namespace runahead {

/// The present time in UTC as 20260131-235959, for the names of result folders: they sort by time,
/// and read alike on every machine.
[[nodiscard]] std::string utc_timestamp();

}  // namespace runahead
