#include "core/device/storage/tensor_class.h"

#include <utility>

#include "core/device/runtime.h"

namespace runahead::device {
namespace {

// Per thread, not per device: a process has one device.
thread_local std::optional<TensorClass> own_class;

/// @return the previous class.
TensorClass exchange_class(TensorClass tensor_class) noexcept {
  Runtime* const runtime = Runtime::find();
  return runtime == nullptr ? TensorClass::kOther
                            : runtime->ledger.present_class.exchange(tensor_class);
}

}  // namespace

TensorClassScope::TensorClassScope(TensorClass tensor_class) noexcept
    : before_(exchange_class(tensor_class)) {}

TensorClassScope::~TensorClassScope() { exchange_class(before_); }

ThreadTensorClassScope::ThreadTensorClassScope(TensorClass tensor_class) noexcept
    : before_(std::exchange(own_class, tensor_class)) {
  if (Runtime* const runtime = Runtime::find()) runtime->ledger.present_class.begin_own();
}

ThreadTensorClassScope::~ThreadTensorClassScope() {
  own_class = before_;
  if (Runtime* const runtime = Runtime::find()) runtime->ledger.present_class.end_own();
}

TensorClass PresentTensorClass::of_this_thread() const noexcept {
  return own_class.value_or(shared_.load(std::memory_order_relaxed));
}

}  // namespace runahead::device
