#pragma once

#include <filesystem>
#include <string>

namespace runahead {

/// Where a command writes its results without `--out`: runs/<time>-`name`, with the time in UTC as
/// 20260131-235959, so that folders sort by time and look alike on every machine; with -2, -3, …
/// appended if that exists. Relative to the working folder; not created.
[[nodiscard]] std::filesystem::path new_result_folder(const std::string& name);

}  // namespace runahead
