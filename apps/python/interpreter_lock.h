#pragma once

#include "core/engine/wait_hooks.h"

namespace runahead::python {

/// Hooks with which a thread that holds the interpreter lock lets go of it while it waits for the
/// device. Without them a wait can be a deadlock: LibTorch takes the lock on a worker when the
/// references to a tensor with a Python object rise from one or fall to it.
[[nodiscard]] engine::WaitHooks interpreter_lock_hooks() noexcept;

/// Clears the Python error that the calling thread has set, if it holds the interpreter lock.
void drop_python_error() noexcept;

}  // namespace runahead::python
