#include "core/device/dispatch/kernel_call.h"

#include <ATen/core/List.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros_like.h>

#include <utility>

#include "core/device/dispatch/argument_tensors.h"
#include "core/device/dispatch/kernel_result.h"
#include "core/device/dispatch/operands_text.h"
#include "core/device/dispatch/view_call.h"
#include "core/device/torch/generator.h"

namespace runahead::device {
namespace {

at::Tensor own_copy(const at::Tensor& host) {
  at::Tensor copy = host.clone();
  if (host.unsafeGetTensorImpl()->is_wrapped_number()) {
    copy.unsafeGetTensorImpl()->set_wrapped_number(true);
  }
  return copy;
}

at::Tensor copied_to_device(const at::Tensor& host) {
  TensorLayout layout = TensorLayout::of(host);
  layout.storage_offset = 0;
  layout.is_conjugate = layout.is_negative = false;
  at::Tensor copy = make_device_tensor(layout);
  copy.copy_(host);
  return copy;
}

// A copy with memory of a zero tensor that has none.
at::Tensor zeros_of(const at::Tensor& tensor) {
  return at::zeros_like(tensor, at::MemoryFormat::Contiguous);
}

// An out argument of another size takes the shape and strides that the kernel gave the result.
void resize_like(const at::Tensor& out, const at::Tensor& result) {
  if (out.sizes() == result.sizes()) return;
  out.resize_(result.sizes());
  if (result.is_non_overlapping_and_dense()) out.as_strided_(result.sizes(), result.strides());
}

[[noreturn]] void rethrow_to_caller(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const OutOfMemoryError& out_of_memory) {
    C10_THROW_ERROR(OutOfMemoryError, out_of_memory.what());
  }
}

}  // namespace

KernelCall::Account::Account(Runtime& runtime, std::uint64_t own_bytes) noexcept
    : runtime_(runtime), held_class_(runtime.ledger.present_class.get()), own_bytes_(own_bytes) {
  runtime_.ledger.calls.add(own_bytes_);
}

KernelCall::Account::~Account() {
  for (const Commitment& held : held_) runtime_.ledger.let_go(held.bytes(), held_class_);
  runtime_.ledger.calls.subtract(own_bytes_);
}

void KernelCall::Account::hold(std::uint64_t bytes) {
  held_.emplace_front(runtime_, bytes);
  runtime_.ledger.hold(bytes, held_class_);
}

KernelCall::KernelCall(Runtime& runtime, const OperatorPlan& plan,
                       c10::ArrayRef<c10::IValue> arguments, bool has_overlap)
    : runtime_(runtime),
      plan_(plan),
      has_overlap_(has_overlap),
      account_(runtime, sizeof(KernelCall) + arguments.size() * sizeof(c10::IValue)) {
  arguments_.reserve(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    arguments_.push_back(capture(i, arguments[i]));
  }
  if (plan_.draws_random_numbers) capture_generator();
}

c10::IValue KernelCall::capture(std::size_t argument, const c10::IValue& value) {
  const ArgumentUse use = plan_.arguments[argument];
  if (value.isDevice()) return c10::Device(c10::kCPU);
  return with_tensors_replaced(value,
                               [&](const at::Tensor& tensor, std::optional<std::size_t> element) {
                                 return capture_tensor({argument, element, use, {}}, tensor);
                               });
}

at::Tensor KernelCall::capture_tensor(Slot slot, const at::Tensor& tensor) {
  if (!tensor.defined()) return tensor;
  require_strided(plan_.name, tensor);
  if (slot.use != ArgumentUse::kOverwrite) promotion_.note_input(tensor);
  if (tensor.device().type() == c10::kPrivateUse1) {
    if (tensor._is_zerotensor()) unnamed_zeros_.push_front(zeros_of(tensor));
    slot.operand = Operand::of(tensor._is_zerotensor() ? unnamed_zeros_.front() : tensor);
    slot.tensor = tensor.unsafeGetTensorImpl();
    note_same(slot);
    slots_.push_back(std::move(slot));
    return {};
  }
  TORCH_CHECK(tensor.is_cpu() && slot.use == ArgumentUse::kRead &&
                  plan_.takes_host_tensor(slot.argument, tensor),
              "Expected all tensors to be on the same device, but found at least two devices, ",
              c10::Device(c10::kPrivateUse1, 0), " and ", tensor.device(), " (argument '",
              plan_.handle.schema().arguments()[slot.argument].name(), "' of ", plan_.name,
              "). Move it with .to(\"acpu\")");
  // A number that LibTorch wraps (`loss * 0.5`) is not a user's input.
  if (!tensor.unsafeGetTensorImpl()->is_wrapped_number()) account_.hold(tensor.nbytes());
  return own_copy(tensor);
}

// Kernels take the elements of lists one by one, so these are not compared.
void KernelCall::note_same(Slot& slot) noexcept {
  slot.is_changed = slot.use != ArgumentUse::kRead;
  if (slot.element) return;
  for (std::size_t i = 0; i < slots_.size() && !slot.same_as; ++i) {
    if (slots_[i].tensor == slot.tensor && !slots_[i].element) slot.same_as = i;
  }
  if (slot.same_as) slots_[*slot.same_as].is_changed |= slot.is_changed;
}

void KernelCall::capture_generator() {
  const auto index = static_cast<std::size_t>(plan_.generator_argument);
  const bool takes_generator = plan_.generator_argument >= 0;
  const bool is_given = takes_generator && arguments_[index].isGenerator();
  const GeneratorImpl& generator =
      GeneratorImpl::of(is_given ? arguments_[index].toGenerator() : runtime_.default_generator);
  generator_variable_ = generator.variable();
  if (takes_generator) arguments_[index] = generator.host_generator();
}

torch::jit::Stack KernelCall::promise(const ReturnLayouts& layouts,
                                      c10::ArrayRef<c10::IValue> arguments) {
  torch::jit::Stack returns;
  for (std::size_t i = 0; i < plan_.returns.size(); ++i) {
    if (plan_.returns[i] != OperatorPlan::kFresh) {
      returns.push_back(arguments[static_cast<std::size_t>(plan_.returns[i])]);
      continue;
    }
    if (!layouts[i]) {
      returns.emplace_back(at::Tensor());
      continue;
    }
    const at::Tensor output = make_device_tensor(*layouts[i]);
    promises_.push_back({i, Operand::of(output)});
    promised_bytes_ += promises_.back().output.block()->size_bytes();
    returns.emplace_back(output);
  }
  return returns;
}

bool KernelCall::is_read(const Block* block) const noexcept {
  for (const Slot& slot : slots_) {
    if (slot.operand.block() == block && slot.use != ArgumentUse::kOverwrite) return true;
  }
  return false;
}

bool KernelCall::is_alias(const at::Tensor& result) const {
  for (const Slot& slot : slots_) {
    if (slot.operand.block()->host_storage().is_alias_of(result.storage())) return true;
  }
  return false;
}

Accesses KernelCall::accesses() {
  Accesses accesses;
  for (const Slot& slot : slots_) {
    const bool is_write = slot.use == ArgumentUse::kWrite || slot.use == ArgumentUse::kOverwrite;
    const bool replaces_whole = slot.use == ArgumentUse::kOverwrite &&
                                slot.operand.covers_block() && !is_read(slot.operand.block());
    name_block(accesses, *slot.operand.block(),
               replaces_whole ? engine::AccessMode::kOverwrite
               : is_write     ? engine::AccessMode::kWrite
                              : engine::AccessMode::kRead);
  }
  for (const Promise& promise : promises_) {
    name_block(accesses, *promise.output.block(), engine::AccessMode::kOverwrite);
  }
  if (generator_variable_) {
    accesses.list.push_back({generator_variable_, engine::AccessMode::kOrder});
  }
  unnamed_zeros_.clear();
  return accesses;
}

void KernelCall::fill_slot(const Slot& slot, at::Tensor tensor) {
  c10::IValue& argument = arguments_[slot.argument];
  if (slot.element) {
    argument.toList().set(*slot.element, std::move(tensor));
  } else {
    argument = std::move(tensor);
  }
}

torch::jit::Stack KernelCall::call_kernel() {
  // The boxed out overloads return references to their arguments: arguments_ keeps these alive.
  torch::jit::Stack stack = arguments_;
  const c10::AutoGradMode grad_mode(is_grad_enabled_);
  run_kernel(
      runtime_.ledger,
      [&] {
        if (!plan_.traits.is_product || !runtime_.products.call(plan_.name, stack)) {
          plan_.handle.callBoxed(stack);
        }
      },
      [this] { return described_call(plan_.name, operands()); });
  return stack;
}

c10::SmallVector<const Operand*, 4> KernelCall::operands() const {
  c10::SmallVector<const Operand*, 4> operands;
  for (const Slot& slot : slots_) operands.push_back(&slot.operand);
  return operands;
}

std::size_t KernelCall::describe(std::span<char> text) const noexcept {
  OperandsText written(text);
  for (const Slot& slot : slots_) written.add(slot.operand);
  return written.finish();
}

std::optional<at::ScalarType> KernelCall::result_dtype() const {
  if (!promises_.empty()) return promises_.front().output.layout().dtype;
  // An out argument may have another dtype than the one that the operator computes in.
  if (!promotion_.is_default_changed()) return std::nullopt;
  for (const Slot& slot : slots_) {
    if (slot.use == ArgumentUse::kOverwrite) return slot.operand.layout().dtype;
  }
  return std::nullopt;
}

void KernelCall::run() {
  c10::SmallVector<at::Tensor, 4> views;
  const auto result = result_dtype();
  const auto promoted = result ? promotion_.dtype_for(plan_, *result) : std::nullopt;
  for (const Slot& slot : slots_) {
    views.push_back(slot.same_as      ? views[*slot.same_as]
                    : slot.is_changed ? slot.operand.own_host_tensor()
                                      : slot.operand.host_tensor());
    const bool is_promoted = promoted && slot.use == ArgumentUse::kRead;
    fill_slot(slot, is_promoted
                        ? IntegerPromotion::promoted(plan_, slot.argument, views.back(), *promoted)
                        : views.back());
  }
  const ExecutingResults executing(runtime_.ledger, promised_bytes_);
  torch::jit::Stack returned = call_kernel();
  try {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].use == ArgumentUse::kRead) continue;
      settle_written(plan_.name, slots_[i].operand.layout(), views[i]);
    }
    arguments_.clear();
    for (const Promise& promise : promises_) {
      store_result(plan_.name, promise.output, std::move(returned[promise.position]).toTensor());
    }
  } catch (const UnforeseenResult&) {
    plan_.is_unpredictable.store(true);
    throw;
  }
}

void KernelCall::run_unpromised() noexcept {
  try {
    make_unpromised_call();
  } catch (...) {
    error_ = std::current_exception();
  }
}

void KernelCall::make_unpromised_call() {
  c10::SmallVector<at::Tensor, 4> views;
  for (const Slot& slot : slots_) {
    at::Tensor view = slot.same_as ? views[*slot.same_as] : slot.operand.own_host_tensor();
    // A copy can be resized.
    const bool is_copied = !slot.same_as && plan_.is_out(slot.argument) && !has_overlap_;
    views.push_back(is_copied ? view.clone() : std::move(view));
    fill_slot(slot, views.back());
  }
  results_ = call_kernel();
  arguments_.clear();
  for (std::size_t i = 0; i < results_.size(); ++i) keep_result(results_[i], plan_.returns[i]);
}

void KernelCall::keep_result(c10::IValue& result, int aliased_argument) {
  if (result.isTensorList()) {
    c10::List<at::Tensor> tensors = result.toTensorList();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      c10::IValue element = tensors.get(i);
      keep_result(element, OperatorPlan::kFresh);
      tensors.set(i, element.toTensor());
    }
    return;
  }
  if (!result.isTensor() || !result.toTensor().defined()) return;
  const at::Tensor& tensor = result.toTensor();
  require_strided(plan_.name, tensor);
  if (!is_alias(tensor)) return;
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

c10::IValue KernelCall::take_result(std::size_t position,
                                    c10::ArrayRef<c10::IValue> arguments) const {
  const c10::IValue& result = results_[position];
  const int aliased = plan_.returns[position];
  if (aliased != OperatorPlan::kFresh) {
    const c10::IValue& argument = arguments[static_cast<std::size_t>(aliased)];
    if (plan_.has_out_arguments && !result.isNone()) {
      resize_like(argument.toTensor(), result.toTensor());
      argument.toTensor().copy_(result.toTensor());
    } else if (plan_.arguments[static_cast<std::size_t>(aliased)] == ArgumentUse::kAlias) {
      return device_view(argument.toTensor(), result.toTensor());
    }
    return argument;
  }
  if (result.isTensor() && result.toTensor().defined()) return copied_to_device(result.toTensor());
  if (!result.isTensorList()) return result;
  c10::List<at::Tensor> copies;
  for (const at::Tensor& tensor : result.toTensorVector()) {
    copies.push_back(copied_to_device(tensor));
  }
  return copies;
}

torch::jit::Stack KernelCall::take_results(c10::ArrayRef<c10::IValue> arguments) {
  if (error_) rethrow_to_caller(error_);
  torch::jit::Stack returns;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    returns.push_back(take_result(i, arguments));
  }
  return returns;
}

}  // namespace runahead::device
