#pragma once

#include <ATen/core/stack.h>
#include <c10/core/GradMode.h>

#include <exception>
#include <forward_list>
#include <optional>
#include <span>

#include "core/device/dispatch/integer_promotion.h"
#include "core/device/dispatch/operand.h"
#include "core/device/dispatch/operator_plan.h"
#include "core/device/runtime.h"
#include "core/device/storage/commitment.h"
#include "core/device/torch/autocast.h"

namespace runahead::device {

/// One call of an operator, captured at issue so that a worker can run it later on CPU tensors:
/// device tensors as operands, host tensors copied (the caller may change them), the rest by value.
///
/// Used once: construct it, then either `promise` the returns and hand it to the engine, or run it
/// unpromised and take the results.
class KernelCall {
 public:
  /// @throws c10::Error for a tensor on another device, or a generator of one.
  KernelCall(Runtime& runtime, const OperatorPlan& plan, Arguments arguments);
  ~KernelCall() = default;
  KernelCall(const KernelCall&) = delete;
  KernelCall& operator=(const KernelCall&) = delete;

  /// Creates the tensors that the call will return, unallocated. @return one value per return of
  /// the schema; returned arguments are the caller's own.
  [[nodiscard]] torch::jit::Stack promise(const ReturnLayouts& layouts, Arguments arguments);

  /// The variables the call reads and writes, including the promised outputs, and the bytes
  /// committed by naming them. To be called once.
  /// @param is_promised  Whether `run` will run it. Otherwise the kernel may refuse the call, so
  /// what
  ///        it would replace keeps an earlier failure until take_results().
  [[nodiscard]] Accesses accesses(bool is_promised);

  /// Writes the types and shapes of the call's device tensors, as write_operands does.
  [[nodiscard]] std::size_t describe(std::span<char> text) const noexcept;

  /// Runs the call on the calling thread and stores the results in the promised blocks.
  /// @throws what the kernel throws; Error if a result's layout is not the promised one.
  void run();
  /// Runs the call on the calling thread and keeps the results, or what the kernel throws, for
  /// `take_results`.
  void run_unpromised() noexcept;
  /// The results of run_unpromised() as new device tensors, or as views of the arguments that they
  /// alias. @throws what the kernel threw.
  [[nodiscard]] torch::jit::Stack take_results(Arguments arguments);

 private:
  /// Where an operand goes among the arguments.
  struct Slot {
    std::size_t argument = 0;
    std::optional<std::size_t> element{};  ///< Of a list argument.
    ArgumentUse use = ArgumentUse::kRead;
    Operand operand{};
    const c10::TensorImpl* tensor = nullptr;  ///< For comparisons during the capture.
    /// The earlier argument that is the same tensor: kernels must see that, as `tril.out(x, out=x)`
    /// must, with which LibTorch runs `tril_`.
    std::optional<std::size_t> same_as{};
    bool is_changed = false;  ///< By this argument, or by one that is the same tensor.
  };
  struct Promise {
    std::size_t position = 0;  ///< Among the returns.
    Operand output{};
  };

  [[nodiscard]] c10::IValue capture(std::size_t argument, const c10::IValue& value);
  [[nodiscard]] at::Tensor capture_tensor(Slot slot, const at::Tensor& tensor);
  void capture_generator();
  void fill_slot(const Slot& slot, at::Tensor tensor);
  /// The dtype of the first result.
  [[nodiscard]] std::optional<at::ScalarType> result_dtype() const;
  [[nodiscard]] torch::jit::Stack call_kernel();
  void finish_before_statics() const;
  [[nodiscard]] c10::SmallVector<const Operand*, 4> operands() const;
  [[nodiscard]] bool is_read(const Block* block) const noexcept;
  [[nodiscard]] bool is_alias(const at::Tensor& result) const;
  void make_unpromised_call();
  using Views = c10::SmallVector<at::Tensor, 4>;  ///< One per slot.
  /// Views in which out arguments have copies of their memory, which a kernel can resize. Tensors
  /// that share memory share the copy.
  [[nodiscard]] Views views_with_copied_outs() const;
  /// Whether the kernel may resize the arguments that it changes, because one is empty: observers
  /// of quantisation do so with their statistics.
  [[nodiscard]] bool may_resize_changed() const noexcept;
  /// Calls the kernel on `views`; if it resizes out arguments on the way, on copies of these.
  [[nodiscard]] torch::jit::Stack call_kernel_on(Views& views);
  /// Whether the call replaces all of the slot's block.
  [[nodiscard]] bool replaces_block(const Slot& slot) const noexcept;
  /// Ends earlier failures of what the call has replaced in place.
  void clear_replaced();
  /// Notes that an earlier argument is the same tensor, if one is.
  void note_same(Slot& slot) noexcept;
  /// Detaches a result that aliases an operand from the operand's memory.
  void keep_result(c10::IValue& result, int aliased_argument);
  [[nodiscard]] c10::IValue take_result(std::size_t position, Arguments arguments) const;

  /// The bytes that the ledger counts for the call while it lives.
  class Account {
   public:
    Account(Runtime& runtime, std::uint64_t own_bytes) noexcept;
    ~Account();
    Account(const Account&) = delete;
    Account& operator=(const Account&) = delete;
    /// May block at the run-ahead limit.
    void hold(std::uint64_t bytes);

   private:
    Runtime& runtime_;
    const TensorClass held_class_;
    const std::uint64_t own_bytes_;
    std::forward_list<Commitment> held_{};
  };

  Runtime& runtime_;
  const OperatorPlan& plan_;
  Account account_;
  torch::jit::Stack arguments_{};  ///< Undefined tensors where the slots' operands go.
  c10::SmallVector<Slot, 4> slots_{};
  c10::SmallVector<Promise, 2> promises_{};
  std::forward_list<at::Tensor> unnamed_zeros_{};  ///< Keep their blocks until accesses() does.
  engine::VariablePtr generator_variable_{};
  IntegerPromotion promotion_{};
  bool is_grad_enabled_ = c10::GradMode::is_enabled();  ///< At issue; some kernels depend on it.
  std::optional<at::ScalarType> autocast_ = present_autocast();  ///< At issue.
  std::uint64_t promised_bytes_ = 0;
  torch::jit::Stack results_{};
  c10::SmallVector<std::pair<std::size_t, at::Tensor>, 4> resized_{};  ///< Arguments.
  std::exception_ptr error_{};
};

}  // namespace runahead::device
