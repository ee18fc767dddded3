#pragma once

#include <ATen/core/Tensor.h>

#include <atomic>
#include <forward_list>
#include <mutex>

namespace runahead::device {

/// References to host tensors that operations have finished with. Dropping the last reference to a
/// tensor may run foreign code (Python's, with its lock), so workers hand them back and a front-end
/// thread drops them, at its next push or wait. Thread-safe; bounded by the operations in flight.
class RetiredReferences {
 public:
  /// Moves the elements out of `tensors`; allocates no memory.
  void retire(std::forward_list<at::Tensor>&& tensors) noexcept;
  /// Call it from front-end threads only.
  void drop_all();

 private:
  std::mutex mutex_{};
  std::forward_list<at::Tensor> tensors_{};
  std::atomic<bool> has_any_{false};
};

}  // namespace runahead::device
