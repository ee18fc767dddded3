#include "core/device/torch/deferred_warnings.h"

namespace runahead::device {

void DeferredWarnings::process(const c10::Warning& warning) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() < kCapacity) {
      waiting_.push_back(warning);
      has_any_.store(true, std::memory_order_release);
      return;
    }
  }
  WarningHandler::process(warning);
}

void DeferredWarnings::emit() {
  if (!has_any_.load(std::memory_order_acquire)) return;
  std::vector<c10::Warning> emitted;
  {
    const std::lock_guard lock(mutex_);
    emitted.swap(waiting_);
    has_any_.store(false, std::memory_order_release);
  }
  for (const c10::Warning& warning : emitted) c10::warn(warning);
}

}  // namespace runahead::device
