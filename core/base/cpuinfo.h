#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace runahead {

/// The value of the first line of /proc/cpuinfo that begins with `name`, such as "model name"
/// (which not every architecture has).
[[nodiscard]] std::optional<std::string> cpuinfo(std::string_view name);

}  // namespace runahead
