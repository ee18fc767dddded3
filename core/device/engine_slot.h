#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

#include "core/engine/engine.h"

namespace runahead::device {

/// The engine of the device, which may be replaced at any moment, whatever other threads do with
/// it.
///
/// Each use is counted while it lasts; a replacement lets no new one begin, waits for those under
/// way, then for what is in flight. Bodies of operations, and nested uses, always proceed, since
/// the replacement waits for them. Thread-safe.
class EngineSlot {
 public:
  /// `engine` runs operations on its workers; not null.
  explicit EngineSlot(std::unique_ptr<engine::Engine> engine, engine::WaitHooks hooks);
  EngineSlot(const EngineSlot&) = delete;
  EngineSlot& operator=(const EngineSlot&) = delete;

  /// Keeps the engine from being replaced while it lives. For the thread that created it.
  class Use {
   public:
    /// Blocks, with the wait hooks, while the engine is being replaced.
    explicit Use(EngineSlot& slot);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    engine::Engine* operator->() const noexcept { return slot_.engine_.get(); }
    engine::Engine& operator*() const noexcept { return *slot_.engine_; }

   private:
    EngineSlot& slot_;
  };
  [[nodiscard]] Use use() { return Use(*this); }

  /// Whether operations have run at issue, permanently, since the last replacement.
  [[nodiscard]] bool is_closed() const noexcept { return is_closed_.load(); }

  /// @throws UsageError in the body of an operation, and in code that runs during a wait.
  void require_replaceable();

  /// While it lives, no other thread uses the engine and nothing is in flight. At most one lives.
  class Replacement {
   public:
    /// Blocks, with the wait hooks. @throws UsageError like require_replaceable().
    explicit Replacement(EngineSlot& slot);
    ~Replacement();
    Replacement(const Replacement&) = delete;
    Replacement& operator=(const Replacement&) = delete;

    [[nodiscard]] engine::Engine& engine() noexcept { return *slot_.engine_; }
    /// The old engine drops the errors that no wait has reported.
    void install(std::unique_ptr<engine::Engine> engine, engine::WaitHooks hooks);
    /// Declares that no other engine will follow.
    void close() noexcept { slot_.is_closed_.store(true); }
    /// Threads other than this one never return from their next use: for the end of a process whose
    /// other threads must not go on.
    void keep_to_this_thread() noexcept { keeps_to_this_thread_ = true; }

   private:
    EngineSlot& slot_;
    std::unique_lock<std::mutex> turn_;
    bool keeps_to_this_thread_ = false;
  };

 private:
  void enter_late();
  void leave_late() noexcept;
  [[nodiscard]] bool may_enter() const;

  std::atomic<std::int64_t> users_{0};
  std::atomic<bool> is_being_replaced_{false};
  std::atomic<bool> is_closed_{false};
  std::atomic<std::thread::id> only_thread_{};  ///< Default: any.
  std::mutex replacing_{};                      ///< Held by a replacement.
  mutable std::mutex mutex_{};
  std::condition_variable changed_{};
  engine::WaitHooks hooks_;  ///< Guarded by mutex_.
  /// Changed by a replacement, under mutex_; a use reads it without the lock.
  std::unique_ptr<engine::Engine> engine_;
};

}  // namespace runahead::device
