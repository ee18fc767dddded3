#pragma once

#include <string>

#include "core/base/json.h"

namespace runahead::config {

/// Sets what `pointer` points to, in a config document that has not been read yet; creates missing
/// objects on the way. Setting /sync/policy drops the keys that belong only to other policies.
/// @throws ConfigError if the pointer is malformed or empty, or goes through a value that has no
///         keys.
void set_value(Json& document, const std::string& pointer, const Json& value);

}  // namespace runahead::config
