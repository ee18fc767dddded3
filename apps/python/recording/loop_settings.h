#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <string>

#include "core/recording/loop_recording.h"

namespace runahead::python {

/// @param options  The members of LoopOptions by their names, those that are known.
/// @throws pybind11's errors for values of another type.
[[nodiscard]] recording::LoopOptions loop_options(const pybind11::dict& options);

/// The same of LoopEnd: status (record::Status by its name), error, device, executes_at_issue,
/// cuda, gpu.
[[nodiscard]] recording::LoopEnd loop_end(const pybind11::dict& end);

/// A count, or None.
[[nodiscard]] std::optional<std::uint64_t> optional_count(const pybind11::object& value);

}  // namespace runahead::python
