#include "core/device/dispatch/view_call.h"

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <c10/core/StorageImpl.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "core/device/dispatch/operand.h"

namespace runahead::device {

at::Tensor device_view(const at::Tensor& base, const at::Tensor& twin) {
  const c10::DispatchKeySet keys =
      base.key_set() - c10::DispatchKeySet({c10::DispatchKey::Conjugate, c10::DispatchKey::Negative,
                                            c10::DispatchKey::Named});
  at::Tensor view = at::detail::make_tensor<c10::TensorImpl>(
      c10::TensorImpl::VIEW, c10::Storage(base.storage()), keys, twin.dtype());
  view.unsafeGetTensorImpl()->set_sizes_and_strides(twin.sizes(), twin.strides(),
                                                    twin.storage_offset());
  if (twin.is_conj()) view._set_conj(true);
  if (twin.is_neg()) view._set_neg(true);
  return view;
}

c10::Storage storage_without_memory(std::uint64_t bytes, void* address) {
  return c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), static_cast<std::int64_t>(bytes),
      c10::DataPtr(address, c10::Device(c10::kCPU)), nullptr, false);
}

at::Tensor host_twin(const at::Tensor& tensor) {
  const c10::Storage& storage = tensor.storage();
  return make_host_tensor(storage_without_memory(storage.nbytes(), storage.data_ptr().get()),
                          TensorLayout::of(tensor));
}

torch::jit::Stack view_on_front_end(const OperatorPlan& plan, Arguments arguments) {
  torch::jit::Stack stack = arguments.vec();
  at::Tensor base;
  for (c10::IValue& argument : stack) {
    if (!argument.isTensor() || !argument.toTensor().defined()) continue;
    if (!base.defined()) base = argument.toTensor();
    argument = host_twin(argument.toTensor());
  }
  // It would cast a twin, which has no memory.
  const c10::impl::ExcludeDispatchKeyGuard without_autocast(c10::autocast_dispatch_keyset);
  plan.handle.callBoxed(stack);
  for (c10::IValue& returned : stack) {
    if (returned.isTensor()) {
      returned = device_view(base, returned.toTensor());
    } else if (returned.isTensorList()) {
      c10::List<at::Tensor> views;
      for (const at::Tensor& twin : returned.toTensorVector())
        views.push_back(device_view(base, twin));
      returned = views;
    }
  }
  return stack;
}

}  // namespace runahead::device
