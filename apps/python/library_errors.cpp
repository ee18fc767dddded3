#include "library_errors.h"

#include <pybind11/pybind11.h>

#include "core/base/error.h"

namespace runahead::python {

void translate_library_error(std::exception_ptr exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const ConfigError& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const UsageError& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const Error& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

}  // namespace runahead::python
