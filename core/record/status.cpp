#include "core/record/status.h"

#include <algorithm>
#include <array>

#include "core/base/enum_names.h"

namespace runahead::record {
namespace {

/// In the order of the enum.
constexpr std::array<std::string_view, 7> kNames{
    "ok", "failed", "crashed", "timed_out", "out_of_memory", "interrupted", "skipped"};

}  // namespace

std::string_view name_of(Status status) noexcept { return name_at(kNames, status); }

std::optional<Status> status_of(std::string_view name) noexcept {
  const auto found = std::ranges::find(kNames, name);
  return found == kNames.end() ? std::nullopt
                               : std::optional(static_cast<Status>(found - kNames.begin()));
}

}  // namespace runahead::record
