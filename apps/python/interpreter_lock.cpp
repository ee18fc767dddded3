#include "interpreter_lock.h"

#include <c10/core/InferenceMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <sys/syscall.h>
#include <torch/csrc/Exceptions.h>
#include <unistd.h>

#include <utility>

namespace runahead::python {
namespace {

void* release_lock() noexcept {
  if (Py_IsInitialized() == 0 || PyGILState_Check() == 0) return nullptr;
  return PyEval_SaveThread();
}

void take_lock_back(void* thread_state) noexcept {
  if (thread_state != nullptr) PyEval_RestoreThread(static_cast<PyThreadState*>(thread_state));
}

// Only the main thread runs Python's signal handlers; the others need not take the lock for it.
bool is_main_thread() noexcept { return ::syscall(SYS_gettid) == ::getpid(); }

// The dispatch keys with autograd's again: the call that waits excludes these, but its caller does
// not. Inference mode excludes its own.
c10::impl::LocalDispatchKeySet keys_of_caller() {
  c10::impl::LocalDispatchKeySet keys = c10::impl::tls_local_dispatch_key_set();
  keys.excluded_ = keys.excluded_ - (c10::InferenceMode::is_enabled()
                                         ? c10::autograd_dispatch_keyset
                                         : c10::autograd_dispatch_keyset_with_ADInplaceOrView);
  return keys;
}

// Runs the handlers of the signals that have arrived: Ctrl-C's raises KeyboardInterrupt.
void handle_signals() {
  if (!is_main_thread() || Py_IsInitialized() == 0) return;
  python_error raised;
  {
    const pybind11::gil_scoped_acquire locked;
    const c10::impl::ForceDispatchKeyGuard above_autograd(keys_of_caller());
    if (PyErr_CheckSignals() == 0) return;
    raised.persist();
  }
  throw std::move(raised);
}

}  // namespace

engine::WaitHooks interpreter_lock_hooks() noexcept {
  return {.before = release_lock, .after = take_lock_back, .check = handle_signals};
}

void drop_python_error() noexcept {
  if (Py_IsInitialized() == 0 || PyGILState_Check() == 0 || PyErr_Occurred() == nullptr) return;
  // Ctrl-C must not be lost with it: the interpreter raises it again.
  if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0) PyErr_SetInterrupt();
  PyErr_Clear();
}

}  // namespace runahead::python
