#pragma once

namespace runahead::engine {

/// What the embedding program has each thread do around a wait for the engine. A thread that waits
/// while it holds a lock of the program's (Python's, say) would stop operations that need the lock.
/// Either both are set or neither is.
struct WaitHooks {
  void* (*before)() noexcept = nullptr;     ///< Lets go of the lock; what it returns goes to after.
  void (*after)(void*) noexcept = nullptr;  ///< Takes the lock back; no lock of the engine is held.
};

/// One wait: runs the hooks around it, or nothing if it never begins.
class HookedWait {
 public:
  explicit HookedWait(const WaitHooks& hooks) noexcept : hooks_(hooks) {}
  ~HookedWait() {
    if (has_begun_) hooks_.after(token_);
  }
  HookedWait(const HookedWait&) = delete;
  HookedWait& operator=(const HookedWait&) = delete;

  void begin() noexcept {
    if (has_begun_ || hooks_.before == nullptr) return;
    token_ = hooks_.before();
    has_begun_ = true;
  }

 private:
  const WaitHooks& hooks_;
  void* token_ = nullptr;
  bool has_begun_ = false;
};

}  // namespace runahead::engine
