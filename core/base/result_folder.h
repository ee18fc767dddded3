#pragma once

#include <filesystem>
#include <string>

namespace runahead {

/// Where a command leaves its results without `--out`: runs/<time>-`name`, the time in UTC as
/// 20260131-235959, so that folders sort by time and read alike on every machine; with -2, -3, …
/// at the end if that is there. Relative to the working folder; not made.
[[nodiscard]] std::filesystem::path new_result_folder(const std::string& name);

}  // namespace runahead
