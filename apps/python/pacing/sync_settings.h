#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "core/config/sync_config.h"

namespace runahead::python {

/// A sync policy from Python arguments. @param value  Value of the policy's first key; None to use
/// `keys`. @param keys  As in a config's section `sync`.
/// @throws ConfigError for values that a config must not have; pybind11's errors for values that
/// JSON cannot hold.
[[nodiscard]] config::SyncConfig sync_settings(const std::string& policy,
                                               const pybind11::object& value,
                                               const pybind11::dict& keys);

}  // namespace runahead::python
