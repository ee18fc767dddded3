#include "core/device/engine_slot.h"

#include <utility>

#include "core/base/error.h"

namespace runahead::device {
namespace {

// The nesting depth of this thread's uses of the process's only device. Every push reads it, hence
// the TLS model, which needs no call.
[[gnu::tls_model("initial-exec")]] thread_local int uses_here = 0;

}  // namespace

EngineSlot::EngineSlot(std::unique_ptr<engine::Engine> engine, engine::WaitHooks hooks)
    : hooks_(hooks), engine_(std::move(engine)) {}

EngineSlot::Use::Use(EngineSlot& slot) : slot_(slot) {
  if (uses_here++ > 0) return;
  slot_.users_.fetch_add(1);
  if (slot_.is_being_replaced_.load()) [[unlikely]]
    slot_.enter_late();
}

EngineSlot::Use::~Use() {
  if (--uses_here > 0) return;
  slot_.users_.fetch_sub(1);
  if (slot_.is_being_replaced_.load()) [[unlikely]]
    slot_.leave_late();
}

bool EngineSlot::may_enter() const {
  if (!is_being_replaced_.load()) return true;
  const std::thread::id only = only_thread_.load();
  if (only != std::thread::id()) return only == std::this_thread::get_id();
  const std::lock_guard lock(mutex_);
  return engine_->is_running_here();
}

void EngineSlot::enter_late() {
  while (!may_enter()) {
    users_.fetch_sub(1);
    {
      std::unique_lock lock(mutex_);
      const engine::WaitHooks hooks = hooks_;
      lock.unlock();
      const engine::HookedWait wait(hooks);
      lock.lock();
      changed_.notify_all();
      changed_.wait(lock, [this] { return !is_being_replaced_.load(); });
      lock.unlock();
    }
    users_.fetch_add(1);
  }
}

void EngineSlot::leave_late() noexcept {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

void EngineSlot::require_replaceable() {
  if (Use(*this)->is_running_here()) {
    throw UsageError("the body of an operation must not configure or stop the device");
  }
  if (uses_here > 0) {
    throw UsageError(
        "this code, a signal handler for example, interrupts a wait for the device; configure or "
        "stop the device after the wait");
  }
}

EngineSlot::Replacement::Replacement(EngineSlot& slot) : slot_(slot) {
  slot_.require_replaceable();
  std::unique_lock lock(slot_.mutex_);
  const engine::WaitHooks hooks = slot_.hooks_;
  lock.unlock();
  const engine::HookedWait wait(hooks);
  turn_ = std::unique_lock(slot_.replacing_);
  slot_.is_being_replaced_.store(true);
  lock.lock();
  slot_.changed_.wait(lock, [this] { return slot_.users_.load() == 0; });
  lock.unlock();
  // Its workers may still push; no other thread does.
  while (slot_.engine_->in_flight() > 0) slot_.engine_->mark().wait();
}

EngineSlot::Replacement::~Replacement() {
  {
    const std::lock_guard lock(slot_.mutex_);
    if (keeps_to_this_thread_) {
      slot_.only_thread_.store(std::this_thread::get_id());
    } else if (slot_.only_thread_.load() == std::thread::id()) {
      slot_.is_being_replaced_.store(false);
    }
  }
  slot_.changed_.notify_all();
}

void EngineSlot::Replacement::install(std::unique_ptr<engine::Engine> engine,
                                      engine::WaitHooks hooks) {
  const std::lock_guard lock(slot_.mutex_);
  slot_.hooks_ = hooks;
  slot_.engine_.swap(engine);
}

}  // namespace runahead::device
