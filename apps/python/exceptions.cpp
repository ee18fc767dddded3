#include "exceptions.h"

#include <torch/csrc/utils/pybind.h>

#include "core/base/error.h"
#include "core/engine/operation_error.h"
#include "library_errors.h"

namespace runahead::python {
namespace {

// LibTorch does not export its own pointer to it. A borrowed reference: the module torch owns it.
PyObject* out_of_memory_error() {
  return py::module_::import("torch").attr("OutOfMemoryError").ptr();
}

void translate(std::exception_ptr exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const engine::OperationError& error) {
    PyErr_SetString(error.is_out_of_memory() ? out_of_memory_error() : PyExc_RuntimeError,
                    error.what());
  } catch (const OutOfMemoryError& error) {
    PyErr_SetString(out_of_memory_error(), error.what());
  } catch (...) {
    translate_library_error(std::current_exception());
  }
}

}  // namespace

void register_exceptions() { py::register_local_exception_translator(translate); }

}  // namespace runahead::python
