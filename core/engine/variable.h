#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "core/engine/access_queue.h"
#include "core/engine/failure.h"

namespace runahead::engine {

/// What pushing threads write of a variable, under the engine's push lock. For the engine's own
/// files.
struct PushState {
  std::atomic<const void*> engine{nullptr};  ///< The engine of its last write.
  std::atomic<std::uint64_t> last_write{0};  ///< Sequence of the last write pushed; 0: none.
  /// Sequence of the last operation that named it or counts as naming it.
  std::atomic<std::uint64_t> last_use{0};
};

/// What workers write of a variable, under the engine's tracking lock. For the engine's own files.
struct TrackingState {
  AccessQueue accesses{};
  FailurePtr poison{};
  std::atomic<bool> is_poisoned{false};  ///< Whether `poison` is set; may be read without the lock.
};

/// A dependency tag. Operations declare which variables they read and write; the engine orders
/// them.
///
/// Intrusively reference-counted: its creator and every operation in flight that names it hold a
/// reference. A subclass may carry what the tag stands for, as the device's memory blocks do.
/// The thread that drops the last reference destroys it, so an operation in flight keeps it alive
/// and its resources are freed as soon as the last operation that names it has finished.
///
/// An idle variable (named by no operation in flight) may be used with another engine.
/// The reference count is thread-safe; the rest belongs to the engine.
class Variable {
 public:
  Variable() noexcept = default;
  virtual ~Variable() = default;
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

  /// Whether there is only one reference: no operation in flight and nothing else holds it.
  [[nodiscard]] bool is_unique() const noexcept {
    return references_.load(std::memory_order_acquire) == 1;
  }

 protected:
  /// The number of the last operation, of any engine, that named it or that Engine::keep counts as
  /// naming it; 0: none. The calling thread must have seen those pushes.
  [[nodiscard]] std::uint64_t last_use() const noexcept {
    return push_state_.last_use.load(std::memory_order_relaxed);
  }

 private:
  friend class VariablePtr;
  friend PushState& push_state_of(Variable& variable) noexcept;
  friend TrackingState& tracking_state_of(Variable& variable) noexcept;

  std::atomic<std::uint32_t> references_{0};
  PushState push_state_{};
  TrackingState tracking_state_{};
};

/// For the engine's own files.
[[nodiscard]] inline PushState& push_state_of(Variable& variable) noexcept {
  return variable.push_state_;
}
[[nodiscard]] inline TrackingState& tracking_state_of(Variable& variable) noexcept {
  return variable.tracking_state_;
}

/// A counted reference to a Variable; null when default-constructed or moved from.
class VariablePtr {
 public:
  VariablePtr() noexcept = default;
  explicit VariablePtr(Variable* variable) noexcept : variable_(variable) { retain(); }
  /// The first reference to `variable`, which no other thread knows yet.
  [[nodiscard]] static VariablePtr first_of(Variable& variable) noexcept {
    VariablePtr first;
    variable.references_.store(1, std::memory_order_relaxed);
    first.variable_ = &variable;
    return first;
  }
  /// A reference to `variable`, or null if its destruction has begun. The caller must keep the
  /// destruction from completing meanwhile.
  [[nodiscard]] static VariablePtr of_living(Variable& variable) noexcept;
  VariablePtr(const VariablePtr& other) noexcept : variable_(other.variable_) { retain(); }
  VariablePtr(VariablePtr&& other) noexcept : variable_(std::exchange(other.variable_, nullptr)) {}
  VariablePtr& operator=(VariablePtr other) noexcept {
    std::swap(variable_, other.variable_);
    return *this;
  }
  ~VariablePtr() { release(); }

  [[nodiscard]] Variable* get() const noexcept { return variable_; }
  Variable* operator->() const noexcept { return variable_; }
  Variable& operator*() const noexcept { return *variable_; }
  explicit operator bool() const noexcept { return variable_ != nullptr; }
  friend bool operator==(const VariablePtr&, const VariablePtr&) = default;

 private:
  void retain() noexcept {
    if (variable_ != nullptr) variable_->references_.fetch_add(1, std::memory_order_relaxed);
  }
  void release() noexcept {
    if (variable_ != nullptr &&
        variable_->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete variable_;
    }
  }

  Variable* variable_ = nullptr;
};

inline VariablePtr VariablePtr::of_living(Variable& variable) noexcept {
  VariablePtr living;
  std::uint32_t references = variable.references_.load(std::memory_order_acquire);
  while (references != 0) {
    if (variable.references_.compare_exchange_weak(references, references + 1,
                                                   std::memory_order_acquire)) {
      living.variable_ = &variable;
      break;
    }
  }
  return living;
}

/// A variable that carries nothing.
[[nodiscard]] VariablePtr make_variable();

}  // namespace runahead::engine
