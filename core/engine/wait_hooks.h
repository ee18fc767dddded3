#pragma once

namespace runahead::engine {

/// What the embedding program has each thread do around a wait for the engine. A thread that waits
/// while it holds a lock of the program's (Python's, say) would stop operations that need the lock.
/// Either both are set or neither is.
struct WaitHooks {
  void* (*before)() noexcept = nullptr;     ///< Lets go of the lock; what it returns goes to after.
  void (*after)(void*) noexcept = nullptr;  ///< Takes the lock back; no lock of the engine is held.
};

}  // namespace runahead::engine
