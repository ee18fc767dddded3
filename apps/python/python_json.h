#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "core/base/json.h"

namespace runahead::python {

/// Converts a Python value with json.dumps. @param source  Named in errors.
/// @throws pybind11's errors for values that json.dumps rejects; ConfigError as parse_json does.
[[nodiscard]] Json json_of(const pybind11::object& value, const std::string& source);

}  // namespace runahead::python
