#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "core/base/json.h"

namespace runahead::python {

/// What json.dumps makes of a value. @param source  Named in errors.
/// @throws pybind11's errors for what json.dumps refuses; ConfigError as parse_json.
[[nodiscard]] Json json_of(const pybind11::object& value, const std::string& source);

}  // namespace runahead::python
