// The part of KernelCall that runs a call whose results were not promised.

#include <ATen/EmptyTensor.h>
#include <ATen/core/List.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "core/device/dispatch/issue.h"
#include "core/device/dispatch/kernel_call.h"
#include "core/device/dispatch/kernel_result.h"
#include "core/device/dispatch/view_call.h"
#include "core/device/failures.h"

namespace runahead::device {
namespace {

at::Tensor copied_to_device(const at::Tensor& host) {
  TensorLayout layout = TensorLayout::of(host);
  layout.storage_offset = 0;
  layout.is_conjugate = layout.is_negative = false;
  const at::Tensor copy = make_device_tensor(layout);
  copy_alike(copy, host);
  return copy;
}

// What keep_result() leaves of a view, without memory, becomes a view of the argument.
at::Tensor view_or_copy(const at::Tensor& argument, const at::Tensor& result) {
  const bool is_view = result.storage().data() == nullptr && result.storage().nbytes() > 0;
  if (!is_view) return copied_to_device(result);
  const at::Tensor view = device_view(argument, result);
  view.unsafeGetTensorImpl()->set_version_counter(
      argument.unsafeGetTensorImpl()->version_counter());
  return view;
}

// A copy that can be resized.
c10::Storage copy_of(const c10::Storage& storage) {
  const at::Tensor copy = at::empty({static_cast<std::int64_t>(storage.nbytes())}, at::kByte);
  if (storage.nbytes() != 0) std::memcpy(copy.mutable_data_ptr(), storage.data(), storage.nbytes());
  return copy.storage();
}

// A copy that can be resized. One that overlaps itself overlaps itself as well.
at::Tensor resizable_copy(const at::Tensor& tensor) {
  if (!has_internal_overlap(tensor)) return copy_with_strides(tensor);
  return make_host_tensor(copy_of(tensor.storage()), TensorLayout::of(tensor));
}

// What a kernel wrote to a copy of a tensor that overlaps itself, and did not resize.
void write_back(const at::Tensor& copy, const at::Tensor& own) {
  std::memcpy(own.storage().mutable_data(), copy.storage().data(), own.storage().nbytes());
}

// An out argument of another size takes the shape and strides that the kernel gave the result.
void resize_like(const at::Tensor& out, const at::Tensor& result) {
  if (out.sizes() == result.sizes()) return;
  if (has_internal_overlap(result)) {
    out.resize_(result.sizes());
    return;
  }
  const std::size_t spanned = at::detail::computeStorageNbytes(result.sizes(), result.strides(), 1);
  out.resize_({0});  // An expanded one may have that many elements, without memory for them.
  out.resize_({static_cast<std::int64_t>(spanned)});
  out.as_strided_(result.sizes(), result.strides());
}

// The result with its tensors, if it has any, replaced.
template <typename Convert>
c10::IValue converted(const c10::IValue& result, const Convert& convert) {
  if (result.isTensor() && result.toTensor().defined()) return convert(result.toTensor());
  if (!result.isTensorList()) return result;
  c10::List<at::Tensor> tensors;
  for (const at::Tensor& tensor : result.toTensorVector()) tensors.push_back(convert(tensor));
  return tensors;
}

[[noreturn]] void rethrow_to_caller(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const OutOfMemoryError& out_of_memory) {
    throw_to_torch(out_of_memory);
  }
}

}  // namespace

void KernelCall::run_unpromised() noexcept {
  try {
    make_unpromised_call();
  } catch (...) {
    error_ = std::current_exception();
  }
}

bool KernelCall::may_resize_changed() const noexcept {
  return std::ranges::any_of(slots_, [](const Slot& slot) {
    return slot.use == ArgumentUse::kWrite && slot.operand.layout().element_count() == 0;
  });
}

KernelCall::Views KernelCall::views_with_copied_outs() const {
  std::unordered_map<const Block*, int> uses;
  for (const Slot& slot : slots_) ++uses[slot.operand.block()];
  std::unordered_map<const Block*, c10::Storage> copies;
  for (const Slot& slot : slots_) {
    Block* const block = slot.operand.block();
    if (uses[block] > 1 && plan_.is_out(slot.argument))
      copies.try_emplace(block, copy_of(block->host_storage()));
  }
  const bool resizes_changed = may_resize_changed();
  Views views;
  for (const Slot& slot : slots_) {
    const bool may_resize = plan_.is_out(slot.argument) ||
                            (resizes_changed && slot.use == ArgumentUse::kWrite && !slot.element);
    const auto copy = copies.find(slot.operand.block());
    if (slot.same_as) {
      views.push_back(views[*slot.same_as]);
    } else if (copy != copies.end()) {
      views.push_back(make_host_tensor(copy->second, slot.operand.layout()));
    } else {
      const at::Tensor view = slot.operand.own_host_tensor();
      views.push_back(may_resize ? resizable_copy(view) : view);
    }
  }
  return views;
}

void KernelCall::make_unpromised_call() {
  const Views views = views_with_copied_outs();
  for (std::size_t i = 0; i < slots_.size(); ++i) fill_slot(slots_[i], views[i]);
  results_ = call_kernel();
  arguments_.clear();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    at::Tensor own = slots_[i].operand.own_host_tensor();
    if (plan_.is_out(slots_[i].argument) && has_internal_overlap(views[i]))
      write_back(views[i], own);
    if (slots_[i].use != ArgumentUse::kWrite) continue;
    if (views[i].sizes() != own.sizes()) {
      resized_.emplace_back(slots_[i].argument, views[i]);
    } else if (!views[i].is_alias_of(own)) {  // It was copied.
      own.copy_(views[i]);
    }
  }
  for (std::size_t i = 0; i < results_.size(); ++i) keep_result(results_[i], plan_.returns[i]);
}

void KernelCall::keep_result(c10::IValue& result, int aliased_argument) {
  if (result.isTensorList()) {
    c10::List<at::Tensor> tensors = result.toTensorList();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      c10::IValue element = tensors.get(i);
      keep_result(element, aliased_argument);
      tensors.set(i, element.toTensor());
    }
    return;
  }
  if (!result.isTensor() || !result.toTensor().defined()) return;
  const at::Tensor& tensor = result.toTensor();
  require_strided(plan_.name, tensor);
  const bool is_written_back = plan_.has_out_arguments && has_internal_overlap(tensor);
  if (!is_alias(tensor) && !is_written_back) return;
  // It must not outlive the operation's hold on its block.
  if (aliased_argument == OperatorPlan::kFresh) {
    result = tensor.clone();
  } else if (plan_.has_out_arguments) {
    result = c10::IValue();
  } else {
    result = make_host_tensor(storage_without_memory(tensor.storage().nbytes()),
                              TensorLayout::of(tensor));
  }
}

c10::IValue KernelCall::take_result(std::size_t position, Arguments arguments) const {
  const c10::IValue& result = results_[position];
  const int aliased = plan_.returns[position];
  if (aliased != OperatorPlan::kFresh) {
    const c10::IValue& argument = arguments[static_cast<std::size_t>(aliased)];
    if (plan_.has_out_arguments && !result.isNone()) {
      resize_like(argument.toTensor(), result.toTensor());
      argument.toTensor().copy_(result.toTensor());
    } else if (plan_.arguments[static_cast<std::size_t>(aliased)] == ArgumentUse::kAlias) {
      return converted(result, [&](const at::Tensor& tensor) {
        return view_or_copy(argument.toTensor(), tensor);
      });
    }
    return argument;
  }
  return converted(result, copied_to_device);
}

void KernelCall::clear_replaced() {
  for (const Slot& slot : slots_) {
    if (!replaces_block(slot) || plan_.is_out(slot.argument)) continue;
    Accesses accesses;
    name_block(accesses, *slot.operand.block(), engine::AccessMode::kOverwrite);
    issue(runtime_, plan_.name, std::move(accesses), [] {});
  }
}

torch::jit::Stack KernelCall::take_results(Arguments arguments) {
  if (error_) rethrow_to_caller(error_);
  clear_replaced();
  for (const auto& [argument, resized] : resized_) {
    const at::Tensor& tensor = arguments[argument].toTensor();
    resize_like(tensor, resized);
    tensor.copy_(resized);
  }
  torch::jit::Stack returns;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    returns.push_back(take_result(i, arguments));
  }
  return returns;
}

}  // namespace runahead::device
