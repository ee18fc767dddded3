#pragma once

#include <driver_types.h>

namespace runahead::cuda {

/// The number of devices that this process sees; 0 without a driver. Queried only once; creates no
/// context. Thread-safe.
[[nodiscard]] int device_count() noexcept;

/// Whether this process has a context on the device, that is, whether CUDA is in use there. Creates
/// none. Thread-safe.
[[nodiscard]] bool has_context(int device) noexcept;

/// Whether a call that is allowed to fail succeeded. Clears its error, which CUDA would otherwise
/// report to the next error query on this thread.
bool succeeded(cudaError_t result) noexcept;

/// Makes a device the calling thread's current device for the lifetime of this object, if this
/// process has a context there. Without one, making it current would create a context.
class ContextScope {
 public:
  explicit ContextScope(int device) noexcept;
  ~ContextScope();
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

  /// Whether the device is current. If not, none of its figures can be read.
  [[nodiscard]] bool is_there() const noexcept { return is_there_; }

 private:
  int previous_ = 0;
  bool must_return_ = false;
  bool is_there_ = false;
};

}  // namespace runahead::cuda
