#include "interpreter_lock.h"

#include <Python.h>

namespace runahead::python {
namespace {

void* release_lock() noexcept {
  if (Py_IsInitialized() == 0 || PyGILState_Check() == 0) return nullptr;
  return PyEval_SaveThread();
}

void take_lock_back(void* thread_state) noexcept {
  if (thread_state != nullptr) PyEval_RestoreThread(static_cast<PyThreadState*>(thread_state));
}

}  // namespace

engine::WaitHooks interpreter_lock_hooks() noexcept {
  return {.before = release_lock, .after = take_lock_back};
}

void drop_python_error() noexcept {
  if (Py_IsInitialized() != 0 && PyGILState_Check() != 0) PyErr_Clear();
}

}  // namespace runahead::python
