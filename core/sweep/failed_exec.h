#pragma once

#include <unistd.h>

#include <cstdlib>

namespace runahead::sweep {

/// Ends a forked child whose exec failed without exit handlers; an initializer of Boost.Process,
/// which calls `exit` otherwise. The handlers are the parent's: they would write its buffered
/// output a second time, and wait for threads that the child doesn't have.
struct SkipExitHandlers {
  /// Its parameters differ between versions of Boost.
  template <typename... Arguments>
  void on_exec_error(Arguments&&... /*unused*/) const {
    ::_exit(EXIT_FAILURE);
  }
};

}  // namespace runahead::sweep
