#include "core/device/storage/retired_references.h"

namespace runahead::device {

void RetiredReferences::retire(std::forward_list<at::Tensor>&& tensors) noexcept {
  const std::lock_guard lock(mutex_);
  tensors_.splice_after(tensors_.before_begin(), tensors);
  has_any_.store(true, std::memory_order_release);
}

void RetiredReferences::drop_all() {
  if (!has_any_.load(std::memory_order_acquire)) return;
  std::forward_list<at::Tensor> dropped;  // Outlives the lock.
  const std::lock_guard lock(mutex_);
  dropped.swap(tensors_);
  has_any_.store(false, std::memory_order_release);
}

}  // namespace runahead::device
