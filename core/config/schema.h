#pragma once

#include "core/base/json.h"

namespace runahead::config {

/// JSON Schemas (draft 2020-12), made from the descriptions that reading uses: types, ranges,
/// defaults and what each key does. They leave out conditions on several keys together.
[[nodiscard]] Json experiment_schema();
[[nodiscard]] Json sweep_schema();

}  // namespace runahead::config
