#pragma once

namespace runahead::cuda {

/// Devices that this process sees; 0 also where there is no driver. Looks once; makes no context.
/// Thread-safe.
[[nodiscard]] int device_count() noexcept;

/// Whether this process has a context on that device: whether CUDA is in use there. Makes none.
/// Thread-safe.
[[nodiscard]] bool has_context(int device) noexcept;

/// Takes back the error of a call that is allowed to fail: else CUDA would give it to the next who
/// asks on this thread.
void forget_error() noexcept;

/// Makes a device the calling thread's current one while it lives, if this process has a context
/// there: to be current without one would make it.
class ContextScope {
 public:
  explicit ContextScope(int device) noexcept;
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

  /// Whether the device is current; if not, nothing of it can be read.
  [[nodiscard]] bool is_there() const noexcept { return is_there_; }

 private:
  int previous_ = 0;
  bool must_return_ = false;
  bool is_there_ = false;
};

}  // namespace runahead::cuda
