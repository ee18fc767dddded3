#pragma once

#include <string>

#include "core/base/json.h"

namespace runahead::config {

/// Sets what `pointer` points to, in a config document that has not been read yet; objects that are
/// missing on the way are made. Setting /sync/policy drops the keys that belong to other policies
/// only.
/// @throws ConfigError if the pointer is malformed or empty, or goes through a value that has no
/// keys.
void set_value(Json& document, const std::string& pointer, const Json& value);

}  // namespace runahead::config
