#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "core/config/sync_config.h"

namespace runahead::python {

/// A sync policy as Python names it. @param value  Of the policy's first key; None: as in `keys`.
/// @param keys  As in a config's section `sync`.
/// @throws ConfigError for what a config must not say; pybind11's errors for what JSON cannot hold.
[[nodiscard]] config::SyncConfig sync_settings(const std::string& policy,
                                               const pybind11::object& value,
                                               const pybind11::dict& keys);

}  // namespace runahead::python
