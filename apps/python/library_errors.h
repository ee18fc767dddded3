#pragma once

#include <exception>

namespace runahead::python {

/// An exception translator for pybind11: ValueError for a ConfigError or a UsageError, RuntimeError
/// for any other Error. Other exceptions pass through. Does not need torch.
void translate_library_error(std::exception_ptr exception);

}  // namespace runahead::python
