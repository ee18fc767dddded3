#include "core/engine/access_queue.h"

#include <utility>

#include "core/engine/operation_node.h"

namespace runahead::engine {

bool AccessQueue::may_run(const PendingAccess& access) const noexcept {
  return !is_write_running_ && (!access.is_write() || running_reads_ == 0);
}

void AccessQueue::grant(const PendingAccess& access) noexcept {
  if (access.is_write()) {
    is_write_running_ = true;
  } else {
    ++running_reads_;
  }
}

bool AccessQueue::add(PendingAccess& access) noexcept {
  if (first_waiting_ == nullptr && may_run(access)) {
    grant(access);
    return true;
  }
  access.next = nullptr;
  if (first_waiting_ == nullptr) {
    first_waiting_ = &access;
  } else {
    last_waiting_->next = &access;
  }
  last_waiting_ = &access;
  return false;
}

PendingAccess* AccessQueue::release(const PendingAccess& access) noexcept {
  if (access.is_write()) {
    is_write_running_ = false;
  } else {
    --running_reads_;
  }
  PendingAccess* const first_granted = first_waiting_;
  PendingAccess* last_granted = nullptr;
  while (first_waiting_ != nullptr && may_run(*first_waiting_)) {
    grant(*first_waiting_);
    last_granted = std::exchange(first_waiting_, first_waiting_->next);
  }
  if (last_granted == nullptr) return nullptr;
  last_granted->next = nullptr;
  return first_granted;
}

}  // namespace runahead::engine
