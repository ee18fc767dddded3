#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace runahead::engine {

class AccessQueue;

/// A dependency tag. Operations say which variables they read and write; the engine orders them.
///
/// Shared by intrusive counting: by whoever created it and by every operation in flight that names
/// it. A subclass may carry what the tag stands for (the device's blocks of memory do). It is
/// destroyed by the thread that drops the last reference, so an operation in flight keeps it alive,
/// and what it carries is returned as soon as the last operation that names it has finished.
///
/// An idle variable (named by no operation in flight) may go on with another engine.
/// The reference count is thread-safe; the rest belongs to the engine.
class Variable {
 public:
  Variable() noexcept;
  virtual ~Variable();
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  friend class VariablePtr;
  friend class AccessQueue;

  std::atomic<std::uint32_t> references_{0};
  // … the engine's per-variable queue of accesses and its poison (written by the engine's author).
};

/// A counted reference to a Variable; null when default-constructed or moved from.
class VariablePtr {
 public:
  VariablePtr() noexcept = default;
  explicit VariablePtr(Variable* variable) noexcept : variable_(variable) { retain(); }
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

/// A variable that carries nothing.
[[nodiscard]] VariablePtr make_variable();

}  // namespace runahead::engine
