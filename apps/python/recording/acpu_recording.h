#pragma once

#include <pybind11/pybind11.h>

namespace runahead::python {

/// Adds the class `Recording` to the module: train::AcpuRecording. It releases the interpreter lock
/// while it waits.
void add_acpu_recording(pybind11::module_& module);

}  // namespace runahead::python
