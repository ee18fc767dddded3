#pragma once

#include "core/experiment/factories.h"

namespace runahead::cell {

/// The one place that knows every model and every source of data.
[[nodiscard]] experiment::Factories make_factories();

}  // namespace runahead::cell
