#pragma once

namespace runahead::engine {

/// Hooks of the embedding program, called around every wait for the engine. A thread that waits
/// while it holds a lock of the program, such as Python's interpreter lock, would block operations
/// that need that lock. Set both or neither.
struct WaitHooks {
  void* (*before)() noexcept = nullptr;  ///< Releases the lock; its result is passed to after.
  /// Reacquires the lock. Called with no engine lock held.
  void (*after)(void*) noexcept = nullptr;
};

}  // namespace runahead::engine
