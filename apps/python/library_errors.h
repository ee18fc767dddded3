#pragma once

#include <exception>

namespace runahead::python {

/// A translator for pybind11: ValueError for a ConfigError or a UsageError, RuntimeError for
/// another Error. Other exceptions go through it. Needs no torch.
void translate_library_error(std::exception_ptr exception);

}  // namespace runahead::python
