#include "core/device/tensor_class.h"

#include "core/device/runtime.h"

namespace runahead::device {
namespace {

/// @return the class until now.
TensorClass exchange_class(TensorClass tensor_class) noexcept {
  Runtime* const runtime = Runtime::find();
  return runtime == nullptr ? TensorClass::kOther
                            : runtime->ledger.present_class.exchange(tensor_class);
}

}  // namespace

TensorClassScope::TensorClassScope(TensorClass tensor_class) noexcept
    : before_(exchange_class(tensor_class)) {}

TensorClassScope::~TensorClassScope() { exchange_class(before_); }

}  // namespace runahead::device
