#pragma once

#include "core/engine/wait_hooks.h"

namespace runahead::python {

/// Hooks with which a thread that holds the interpreter lock releases it while waiting for the
/// device. Without them a wait can deadlock: LibTorch takes the lock on a worker when the reference
/// count of a tensor with a Python object rises from one or falls to one. On the main thread a wait
/// also runs Python's signal handlers and throws what they raise, as python_error.
[[nodiscard]] engine::WaitHooks interpreter_lock_hooks() noexcept;

/// Clears the Python error that the calling thread has set, if it holds the interpreter lock. The
/// interpreter raises KeyboardInterrupt again.
void drop_python_error() noexcept;

}  // namespace runahead::python
