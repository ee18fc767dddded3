#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>

#include "core/recording/loop_recording.h"

namespace runahead::python {

/// @param options  Members of LoopOptions by name; may omit some.
/// @throws pybind11's errors for values of the wrong type.
[[nodiscard]] recording::LoopOptions loop_options(const pybind11::dict& options);

/// The same for LoopEnd: status (the name of a record::Status), error, device, executes_at_issue,
/// cuda, gpu.
[[nodiscard]] recording::LoopEnd loop_end(const pybind11::dict& end);

/// A count, or None.
[[nodiscard]] std::optional<std::uint64_t> optional_count(const pybind11::object& value);

}  // namespace runahead::python
