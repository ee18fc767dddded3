#include "core/config/sweep_grid.h"

#include <algorithm>

#include "core/base/error.h"

namespace runahead::config {
namespace {

/// Combinations of only the axes and zips, at most one more than allowed.
std::size_t grid_count(const SweepConfig& sweep) {
  constexpr std::size_t kTooMany = kMaxSweepCells + 1;
  if (sweep.axes.empty() && sweep.zip.empty()) return sweep.cells.empty() ? 1 : 0;
  std::size_t count = 1;
  for (const SweepAxis& axis : sweep.axes) count = std::min(count * axis.values.size(), kTooMany);
  for (const auto& group : sweep.zip) {
    count = std::min(count * group.front().values.size(), kTooMany);
  }
  return count;
}

/// Whether `values` has every value in `entry`.
bool agrees_with(const Json& values, const Json& entry) {
  for (const auto& [pointer, value] : entry.items()) {
    const auto found = values.find(pointer);
    if (found == values.end() || *found != value) return false;
  }
  return true;
}

}  // namespace

std::size_t combination_count(const SweepConfig& sweep) {
  return grid_count(sweep) + sweep.cells.size();
}

Json axes_values(const SweepConfig& sweep, std::size_t index) {
  RUNAHEAD_REQUIRE(index < combination_count(sweep), "no such combination");
  std::size_t stride = grid_count(sweep);
  if (index >= stride) return sweep.cells[index - stride];
  Json values = Json::object();
  for (const SweepAxis& axis : sweep.axes) {
    stride /= axis.values.size();
    values[axis.pointer] = axis.values[index / stride % axis.values.size()];
  }
  for (const auto& group : sweep.zip) {
    const std::size_t length = group.front().values.size();
    stride /= length;
    for (const SweepAxis& axis : group) values[axis.pointer] = axis.values[index / stride % length];
  }
  return values;
}

bool is_excluded(const SweepConfig& sweep, std::size_t index) {
  RUNAHEAD_REQUIRE(index < combination_count(sweep), "no such combination");
  if (sweep.exclude.empty() || index >= grid_count(sweep)) return false;
  const Json values = axes_values(sweep, index);
  return std::ranges::any_of(sweep.exclude,
                             [&](const Json& entry) { return agrees_with(values, entry); });
}

}  // namespace runahead::config
