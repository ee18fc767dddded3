#pragma once

#include <ATen/MemoryOverlap.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "core/device/dispatch/fallback.h"
#include "core/device/dispatch/issue.h"
#include "core/device/dispatch/kernel_result.h"
#include "core/device/dispatch/number.h"
#include "core/device/dispatch/operand.h"
#include "core/device/dispatch/operands_text.h"

/// Calls of the hot operators of training: without boxing, schema or cache, for the common case of
/// floating-point tensors whose result's layout is evident. Every other case takes the general path
/// (`call_boxed`), which handles all cases and reports all errors.
namespace runahead::device {

/// What the operations below share: a kernel, the tensor that it writes, and its inputs.
/// @tparam kReadsWritten  Whether the tensor is also an input, the first in the description of the
/// call.
template <typename Kernel, std::size_t kInputs, bool kReadsWritten>
class HotOperation {
 public:
  HotOperation(const char* name, Kernel kernel, Operand written,
               std::array<Operand, kInputs> inputs)
      : name_(name),
        kernel_(std::move(kernel)),
        written_(std::move(written)),
        inputs_(std::move(inputs)) {}

  std::size_t describe(std::span<char> text) const noexcept {
    return write_operands(read_operands(), text);
  }

 protected:
  using HostInputs = std::array<at::Tensor, kInputs>;

  /// Returns `body()`; errors name the call.
  template <typename Body>
  decltype(auto) run(Body&& body) {
    return run_kernel(written_.block()->ledger(), std::forward<Body>(body),
                      [this] { return described_call(name_, read_operands()); });
  }
  [[nodiscard]] HostInputs host_inputs() const {
    return std::apply([](const auto&... input) { return HostInputs{input.host_tensor()...}; },
                      inputs_);
  }
  /// Calls the kernel with its target and the inputs.
  void write(at::Tensor target, const HostInputs& inputs) {
    std::apply([&](const auto&... input) { kernel_(target, input...); }, inputs);
  }

  const char* name_;
  Kernel kernel_;
  Operand written_;
  std::array<Operand, kInputs> inputs_;

 private:
  using ReadOperands = std::array<const Operand*, kInputs + (kReadsWritten ? 1 : 0)>;

  [[nodiscard]] ReadOperands read_operands() const noexcept {
    return std::apply(
        [this](const auto&... input) {
          if constexpr (kReadsWritten) {
            return ReadOperands{&written_, &input...};
          } else {
            return ReadOperands{&input...};
          }
        },
        inputs_);
  }
};

/// An operation that calls `Kernel(inputs on the host…)` and stores its result.
template <typename Kernel, std::size_t kInputs>
class HotCall : public HotOperation<Kernel, kInputs, false> {
 public:
  using HotOperation<Kernel, kInputs, false>::HotOperation;

  void operator()() {
    Block& block = *this->written_.block();
    const ExecutingResults executing(block.ledger(), block.size_bytes());
    store_result(this->name_, this->written_,
                 this->run([this] { return std::apply(this->kernel_, this->host_inputs()); }));
  }
};

/// An operation that calls `Kernel(result on the host, inputs on the host…)`, which computes each
/// element of the result from the inputs' elements at its position. The result takes over the
/// memory of an input of its layout that nothing else needs: LibTorch's `relu_` instead of its
/// `relu`, if the program has dropped the input by the time the operation executes.
template <typename Kernel, std::size_t kInputs>
class HotElementwiseCall : public HotOperation<Kernel, kInputs, false> {
 public:
  using HotOperation<Kernel, kInputs, false>::HotOperation;

  void operator()() {
    this->run([this] {
      const auto inputs = this->host_inputs();
      for (const Operand& input : this->inputs_) {
        if (may_give_memory(input) && input.block()->hand_over_memory(*this->written_.block())) {
          break;
        }
      }
      this->write(this->written_.host_tensor(), inputs);
    });
  }

 private:
  // Kernels reject a result that is another view of an input's memory, if only by the stride of a
  // dimension of one element.
  [[nodiscard]] bool may_give_memory(const Operand& input) const {
    return input.layout() == this->written_.layout() &&
           std::ranges::all_of(this->inputs_, [&input](const Operand& other) {
             return other.block() != input.block() || other.is_same(input);
           });
  }
};

/// An operation that calls `Kernel(target on the host, inputs on the host…)`, which changes the
/// target.
template <typename Kernel, std::size_t kInputs>
class HotCallInPlace : public HotOperation<Kernel, kInputs, true> {
 public:
  using HotOperation<Kernel, kInputs, true>::HotOperation;

  void operator()() {
    this->run([this] { this->write(this->written_.host_tensor(), this->host_inputs()); });
  }
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

/// The general path: what the operator does without a hot kernel.
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

/// Whether `tensor` is a floating-point device tensor that has memory and no names, and results may
/// be allocated late.
[[nodiscard]] inline bool is_hot(const at::Tensor& tensor) {
  constexpr c10::DispatchKeySet kOthers({c10::DispatchKey::ZeroTensor, c10::DispatchKey::Named});
  const bool is_float = tensor.scalar_type() == at::kFloat || tensor.scalar_type() == at::kDouble;
  return is_float && tensor.device().type() == c10::kPrivateUse1 &&
         !tensor.key_set().has_any(kOthers) &&
         Runtime::get().allocation() == Allocation::kAtExecution;
}

[[nodiscard]] inline bool is_hot_contiguous(const at::Tensor& tensor) {
  return is_hot(tensor) && tensor.is_contiguous();
}

/// Whether it is hot, and `x * 5` is a new contiguous tensor.
[[nodiscard]] inline bool is_hot_with_usual_strides(const at::Tensor& tensor) {
  return is_hot(tensor) && are_usual_strides(tensor.sizes(), tensor.strides());
}

/// Whether both are hot, contiguous and of the same shape and type.
[[nodiscard]] inline bool are_hot_alike(const at::Tensor& first, const at::Tensor& second) {
  return is_hot_contiguous(first) && is_hot_contiguous(second) &&
         first.scalar_type() == second.scalar_type() && first.sizes() == second.sizes();
}

/// The real number that LibTorch wrapped into a host tensor (`1` in `x + 1`); else nullopt.
[[nodiscard]] std::optional<Number> wrapped_number(const at::Tensor& tensor);

/// `number` as LibTorch wraps it, but directly of `dtype`, float or double: converted as kernels
/// convert it, to infinity if it is too large.
[[nodiscard]] at::Tensor wrap_number(Number number, at::ScalarType dtype);

/// The number, which kernels convert to the type of `tensor`; nullopt if they refuse to, or if it
/// is complex.
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
