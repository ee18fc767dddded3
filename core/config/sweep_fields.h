#pragma once

#include "core/config/fields.h"
#include "core/config/sweep_config.h"

namespace runahead::config {

/// Describes the keys of a sweep config besides `base` and `axes`.
void describe(SweepConfig& sweep, Fields& fields);

/// Names and documentation of the two keys that hold other JSON.
[[nodiscard]] const Key& base_key();
[[nodiscard]] const Key& axes_key();

/// Most values of one axis.
inline constexpr std::size_t kMaxAxisValues = 10'000;

}  // namespace runahead::config
