#pragma once

#include <ATen/MemoryOverlap.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "core/device/dispatch/fallback.h"
#include "core/device/dispatch/issue.h"
#include "core/device/dispatch/kernel_result.h"
#include "core/device/dispatch/number.h"
#include "core/device/dispatch/operand.h"
#include "core/device/dispatch/operands_text.h"

/// Calls of the hot operators of training: without boxing, schema or cache, for the common case of
/// floating-point tensors whose result's layout is evident. Whatever is not that case goes the
/// general way (`call_boxed`), which knows every case and reports every error.
namespace runahead::device {

/// An operation that calls `Kernel(inputs on the host…)` and stores its result.
template <typename Kernel, std::size_t kInputs>
class HotCall {
 public:
  HotCall(const char* name, Kernel kernel, Operand output, std::array<Operand, kInputs> inputs)
      : name_(name),
        kernel_(std::move(kernel)),
        output_(std::move(output)),
        inputs_(std::move(inputs)) {}

  void operator()() {
    MemoryLedger& ledger = output_.block()->ledger();
    const ExecutingResults executing(ledger, output_.block()->size_bytes());
    store_result(name_, output_,
                 run_kernel(
                     ledger, [this] { return call(kPositions); },
                     [this] { return described_call(name_, operands(kPositions)); }));
  }

  std::size_t describe(std::span<char> text) const noexcept {
    return write_operands(operands(kPositions), text);
  }

 private:
  template <std::size_t... kIndices>
  at::Tensor call(std::index_sequence<kIndices...>) {
    return kernel_(inputs_[kIndices].host_tensor()...);
  }
  template <std::size_t... kIndices>
  std::array<const Operand*, kInputs> operands(std::index_sequence<kIndices...>) const noexcept {
    return {&inputs_[kIndices]...};
  }

  static constexpr std::make_index_sequence<kInputs> kPositions{};

  const char* name_;
  Kernel kernel_;
  Operand output_;
  std::array<Operand, kInputs> inputs_;
};

/// An operation that calls `Kernel(result on the host, inputs on the host…)`, which computes each
/// element of the result from the inputs' elements at its place. The result takes the memory of an
/// input of its layout that nothing else needs: LibTorch's `relu_` instead of its `relu`, where the
/// program has dropped the input by the time the operation executes.
template <typename Kernel, std::size_t kInputs>
class HotElementwiseCall {
 public:
  HotElementwiseCall(const char* name, Kernel kernel, Operand result,
                     std::array<Operand, kInputs> inputs)
      : name_(name),
        kernel_(std::move(kernel)),
        result_(std::move(result)),
        inputs_(std::move(inputs)) {}

  void operator()() {
    run_kernel(
        result_.block()->ledger(), [this] { call(kPositions); },
        [this] { return described_call(name_, operands(kPositions)); });
  }

  std::size_t describe(std::span<char> text) const noexcept {
    return write_operands(operands(kPositions), text);
  }

 private:
  template <std::size_t... kIndices>
  void call(std::index_sequence<kIndices...>) {
    const std::array<at::Tensor, kInputs> inputs{inputs_[kIndices].host_tensor()...};
    static_cast<void>((hand_over_memory(inputs_[kIndices]) || ...));
    at::Tensor result = result_.host_tensor();
    kernel_(result, inputs[kIndices]...);
  }
  bool hand_over_memory(const Operand& input) noexcept {
    return input.layout() == result_.layout() && input.block()->hand_over_memory(*result_.block());
  }
  template <std::size_t... kIndices>
  std::array<const Operand*, kInputs> operands(std::index_sequence<kIndices...>) const noexcept {
    return {&inputs_[kIndices]...};
  }

  static constexpr std::make_index_sequence<kInputs> kPositions{};

  const char* name_;
  Kernel kernel_;
  Operand result_;
  std::array<Operand, kInputs> inputs_;
};

/// An operation that calls `Kernel(target on the host, inputs on the host…)`, which changes target.
template <typename Kernel, std::size_t kInputs>
class HotCallInPlace {
 public:
  HotCallInPlace(const char* name, Kernel kernel, Operand target,
                 std::array<Operand, kInputs> inputs)
      : name_(name),
        kernel_(std::move(kernel)),
        target_(std::move(target)),
        inputs_(std::move(inputs)) {}

  void operator()() {
    run_kernel(
        target_.block()->ledger(), [this] { call(kPositions); },
        [this] { return described_call(name_, operands(kPositions)); });
  }

  std::size_t describe(std::span<char> text) const noexcept {
    return write_operands(operands(kPositions), text);
  }

 private:
  template <std::size_t... kIndices>
  void call(std::index_sequence<kIndices...>) {
    at::Tensor target = target_.host_tensor();
    kernel_(target, inputs_[kIndices].host_tensor()...);
  }
  template <std::size_t... kIndices>
  std::array<const Operand*, kInputs + 1> operands(
      std::index_sequence<kIndices...>) const noexcept {
    return {&target_, &inputs_[kIndices]...};
  }

  static constexpr std::make_index_sequence<kInputs> kPositions{};

  const char* name_;
  Kernel kernel_;
  Operand target_;
  std::array<Operand, kInputs> inputs_;
};

/// Issues an operation of type `Call` with a fresh result of `layout`.
template <template <typename, std::size_t> typename Call, typename Kernel, typename... Inputs>
at::Tensor issue_call(const char* name, LayoutReference layout, Kernel kernel,
                      const Inputs&... inputs) {
  Runtime& runtime = Runtime::get();
  at::Tensor result = make_device_tensor(*layout);
  Operand output = Operand::of(result, std::move(layout));
  std::array<Operand, sizeof...(Inputs)> operands{Operand::of(inputs)...};
  Accesses accesses;
  for (const Operand& operand : operands) {
    name_block(accesses, *operand.block(), engine::AccessMode::kRead);
  }
  name_block(accesses, *output.block(), engine::AccessMode::kOverwrite);
  issue(runtime, name, std::move(accesses),
        Call<Kernel, sizeof...(Inputs)>(name, std::move(kernel), std::move(output),
                                        std::move(operands)));
  return result;
}

/// Issues a call for a fresh result of `layout`. May block at the run-ahead limit.
/// @param name a literal
template <typename Kernel, typename... Inputs>
at::Tensor issue_fresh(const char* name, LayoutReference layout, Kernel kernel,
                       const Inputs&... inputs) {
  return issue_call<HotCall>(name, std::move(layout), std::move(kernel), inputs...);
}

/// The same for a result that is computed element by element: see HotElementwiseCall.
template <typename Kernel, typename... Inputs>
at::Tensor issue_elementwise(const char* name, LayoutReference layout, Kernel kernel,
                             const Inputs&... inputs) {
  return issue_call<HotElementwiseCall>(name, std::move(layout), std::move(kernel), inputs...);
}

/// @throws c10::Error if the input and the target share part of their memory.
inline void require_no_overlap(const at::Tensor& target, const Operand& changed,
                               const at::Tensor& input, const Operand& operand) {
  if (changed.block() == operand.block()) at::assert_no_partial_overlap(target, input);
}

/// Issues a call that changes `target` in place. May block at the run-ahead limit.
/// @param name a literal
/// @throws c10::Error if an input overlaps the target in part.
template <typename Kernel, typename... Inputs>
void issue_in_place(const char* name, const at::Tensor& target, Kernel kernel,
                    const Inputs&... inputs) {
  Runtime& runtime = Runtime::get();
  Operand changed = Operand::of(target);
  std::array<Operand, sizeof...(Inputs)> operands{Operand::of(inputs)...};
  std::size_t position = 0;
  (require_no_overlap(target, changed, inputs, operands[position++]), ...);
  Accesses accesses;
  name_block(accesses, *changed.block(), engine::AccessMode::kWrite);
  for (const Operand& operand : operands) {
    name_block(accesses, *operand.block(), engine::AccessMode::kRead);
  }
  issue(runtime, name, std::move(accesses),
        HotCallInPlace<Kernel, sizeof...(Inputs)>(name, std::move(kernel), std::move(changed),
                                                  std::move(operands)));
}

/// The general way: what the operator does without a hot kernel.
/// @throws what the operator's own checks throw.
template <typename Operator, typename... Arguments>
at::Tensor call_boxed(const Arguments&... arguments) {
  static const c10::OperatorHandle handle =
      c10::Dispatcher::singleton().findSchemaOrThrow(Operator::name, Operator::overload_name);
  torch::jit::Stack stack;
  (torch::jit::push(stack, arguments), ...);
  fallback(handle, &stack);
  return std::move(stack[0]).toTensor();
}

/// Whether `tensor` is a floating-point tensor of the device that has memory, and results may be
/// allocated late.
[[nodiscard]] inline bool is_hot(const at::Tensor& tensor) {
  const bool is_float = tensor.scalar_type() == at::kFloat || tensor.scalar_type() == at::kDouble;
  return is_float && tensor.device().type() == c10::kPrivateUse1 && !tensor._is_zerotensor() &&
         Runtime::get().allocation() == Allocation::kAtExecution;
}

[[nodiscard]] inline bool is_hot_contiguous(const at::Tensor& tensor) {
  return is_hot(tensor) && tensor.is_contiguous();
}

/// Whether its strides are those of a new contiguous tensor, in dimensions of one element, too.
/// There LibTorch keeps the strides of `x` in `x * 5`.
[[nodiscard]] inline bool is_hot_with_usual_strides(const at::Tensor& tensor) {
  if (!is_hot(tensor)) return false;
  const c10::IntArrayRef sizes = tensor.sizes();
  const c10::IntArrayRef strides = tensor.strides();
  std::int64_t stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0; stride *= std::max<std::int64_t>(sizes[i], 1)) {
    if (strides[i] != stride) return false;
  }
  return true;
}

/// Whether both are hot, contiguous and of one shape and type.
[[nodiscard]] inline bool are_hot_alike(const at::Tensor& first, const at::Tensor& second) {
  return is_hot_contiguous(first) && is_hot_contiguous(second) &&
         first.scalar_type() == second.scalar_type() && first.sizes() == second.sizes();
}

/// The real number that LibTorch wrapped into a host tensor (`1` in `x + 1`); else nullopt.
[[nodiscard]] std::optional<Number> wrapped_number(const at::Tensor& tensor);

/// `number` as LibTorch wraps it, but of `dtype`, float or double, at once: converted as kernels
/// convert it, to infinity where it is too large.
[[nodiscard]] at::Tensor wrap_number(Number number, at::ScalarType dtype);

/// A number that kernels convert to the type of `tensor`; nullopt where they refuse to, and where
/// it is complex.
[[nodiscard]] inline std::optional<Number> factor_of(const c10::Scalar& scalar,
                                                     const at::Tensor& tensor) {
  const auto number = Number::of(scalar);
  return number && number->fits(tensor.scalar_type()) ? number : std::nullopt;
}

/// A contiguous layout of these sizes.
[[nodiscard]] inline LayoutReference contiguous_layout(c10::IntArrayRef sizes,
                                                       at::ScalarType dtype) {
  return LayoutReference::contiguous(Runtime::get().known_layouts, sizes, dtype);
}

}  // namespace runahead::device
