#pragma once

#include "core/base/json.h"

namespace runahead::config {

/// JSON Schemas (draft 2020-12), made from the descriptions that reading uses: types, ranges,
/// defaults and what each key does. What several keys decide together is not in them.
[[nodiscard]] Json experiment_schema();
[[nodiscard]] Json sweep_schema();

}  // namespace runahead::config
