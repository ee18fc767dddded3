#pragma once

#include "core/base/fields.h"
#include "core/config/sweep_config.h"

namespace runahead::config {

/// Describes the keys of a sweep config except those that hold other JSON.
void describe(SweepConfig& sweep, Fields& fields);

/// Names and documentation of the keys that hold other JSON.
[[nodiscard]] const Key& base_key();
[[nodiscard]] const Key& axes_key();
[[nodiscard]] const Key& zip_key();
[[nodiscard]] const Key& cells_key();
[[nodiscard]] const Key& exclude_key();

}  // namespace runahead::config
