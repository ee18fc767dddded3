#pragma once

#include <unistd.h>

#include <cstdlib>

namespace runahead::sweep {

/// Ends a forked child whose exec failed, without running exit handlers. It is an initializer of
/// Boost.Process, which would otherwise call `exit`. The handlers are the parent's and would write
/// its buffered output a second time, and wait for threads that the child does not have.
struct SkipExitHandlers {
  /// Its parameters differ between versions of Boost.
  template <typename... Arguments>
  void on_exec_error(Arguments&&... /*unused*/) const {
    ::_exit(EXIT_FAILURE);
  }
};

}  // namespace runahead::sweep
