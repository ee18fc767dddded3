#include "core/device/dispatch/kernel_call.h"

#include <ATen/core/List.h>
#include <ATen/ops/zeros_like.h>

#include <string>
#include <utility>

#include "core/device/dispatch/argument_tensors.h"
#include "core/device/dispatch/kernel_result.h"
#include "core/device/dispatch/operands_text.h"
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

// A copy with memory of a zero tensor that has none.
at::Tensor zeros_of(const at::Tensor& tensor) {
  return at::zeros_like(tensor, at::MemoryFormat::Contiguous);
}

// Whether a kernel wanted to resize memory of the device.
bool reports_a_fixed_size(const c10::Error& error) {
  return error.msg().find("storage that is not resizable") != std::string::npos;
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

KernelCall::KernelCall(Runtime& runtime, const OperatorPlan& plan, Arguments arguments)
    : runtime_(runtime),
      plan_(plan),
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
  c10::IValue captured = with_tensors_replaced(
      value, [&](const at::Tensor& tensor, std::optional<std::size_t> element) {
        return capture_tensor({argument, element, use, {}}, tensor);
      });
  // A list of numbers that something else holds, such as a script, may change before the kernel
  // reads it.
  const bool is_shared = captured.isList() && captured.is(value) && value.use_count() > 2;
  return is_shared ? c10::IValue(captured.toList().copy()) : captured;
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

// Kernels take the elements of lists one by one, so these are not compared with each other.
void KernelCall::note_same(Slot& slot) noexcept {
  slot.is_changed = slot.use != ArgumentUse::kRead;
  if (slot.element) return;
  for (std::size_t i = 0; i < slots_.size() && !slot.same_as; ++i) {
    if (slots_[i].tensor == slot.tensor) slot.same_as = i;
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

torch::jit::Stack KernelCall::promise(const ReturnLayouts& layouts, Arguments arguments) {
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

bool KernelCall::replaces_block(const Slot& slot) const noexcept {
  return slot.use == ArgumentUse::kOverwrite && slot.operand.covers_block() &&
         !is_read(slot.operand.block());
}

Accesses KernelCall::accesses(bool is_promised) {
  Accesses accesses;
  for (const Slot& slot : slots_) {
    name_block(accesses, *slot.operand.block(),
               replaces_block(slot)
                   ? (is_promised ? engine::AccessMode::kOverwrite : engine::AccessMode::kOrder)
               : is_written(slot.use) ? engine::AccessMode::kWrite
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

// A kernel creates statics when it first runs with a type.
void KernelCall::finish_before_statics() const {
  const auto type = slots_.empty() ? at::kFloat : slots_.front().operand.layout().dtype;
  const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(type);
  if ((plan_.types_run.load(std::memory_order_relaxed) & bit) != 0) return;
  if ((plan_.types_run.fetch_or(bit) & bit) == 0) Runtime::finish_before_statics();
}

torch::jit::Stack KernelCall::call_kernel() {
  TORCH_CHECK(!plan_.is_gone.load(), "acpu: the library that defines ", plan_.name,
              " was destroyed while a call was queued; keep it until runahead.synchronize()");
  // The boxed out overloads return references to their arguments: arguments_ keeps these alive.
  torch::jit::Stack stack = arguments_;
  const c10::AutoGradMode grad_mode(is_grad_enabled_);
  const CpuAutocastScope autocast(autocast_);
  run_kernel(
      runtime_.ledger,
      [&] {
        if (plan_.traits.check_values != nullptr) plan_.traits.check_values(stack);
        if (!plan_.traits.is_product || !runtime_.products.call(plan_.name, stack)) {
          plan_.handle.callBoxed(stack);
        }
      },
      [this] { return described_call(plan_.name, operands()); });
  finish_before_statics();
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

torch::jit::Stack KernelCall::call_kernel_on(Views& views) {
  if (!plan_.resizes_outs.load()) {
    try {
      return call_kernel();
    } catch (const c10::Error& error) {
      if (!plan_.has_out_arguments || !reports_a_fixed_size(error)) throw;
      plan_.resizes_outs.store(true);
    }
  }
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!plan_.is_out(slots_[i].argument)) continue;
    views[i] = copy_with_strides(slots_[i].operand.own_host_tensor());
    fill_slot(slots_[i], views[i]);
  }
  torch::jit::Stack returned = call_kernel();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!plan_.is_out(slots_[i].argument)) continue;
    at::Tensor out = slots_[i].operand.own_host_tensor();
    if (views[i].sizes() == out.sizes()) views[i] = out.copy_(views[i]);
  }
  return returned;
}

void KernelCall::run() {
  Views views;
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
  torch::jit::Stack returned = call_kernel_on(views);
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

}  // namespace runahead::device
