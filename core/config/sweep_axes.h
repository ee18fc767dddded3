#pragma once

#include "core/base/json_reader.h"
#include "core/config/sweep_config.h"

namespace runahead::config {

inline constexpr std::size_t kMaxSweepAxes = 64;     ///< Keys that a sweep varies.
inline constexpr std::size_t kMaxExclusions = 1000;  ///< Entries of `exclude`.

/// Reads `axes`, `zip`, `cells` and `exclude`; errors go to the reader's problems.
void read_axes(ObjectReader& reader, SweepConfig& sweep);

}  // namespace runahead::config
