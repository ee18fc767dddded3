#include <ATen/MemoryOverlap.h>
#include <ATen/ops/_local_scalar_dense.h>
#include <ATen/ops/empty.h>

#include <memory>
#include <span>
#include <utility>

#include "core/device/commitment.h"
#include "core/device/operand.h"
#include "core/device/operands_text.h"
#include "core/device/runtime.h"
#include "core/device/tensor_kernels.h"

namespace runahead::device {
namespace {

bool is_on_device(const at::Tensor& tensor) { return tensor.device().type() == c10::kPrivateUse1; }

engine::AccessMode write_mode(const Operand& target) {
  return target.covers_block() ? engine::AccessMode::kOverwrite : engine::AccessMode::kWrite;
}

// A host tensor that an operation in flight keeps; counted as held until the operation is done.
class HeldTensor {
 public:
  /// Keeps `tensor` itself, or a copy. May block at the run-ahead limit.
  HeldTensor(Runtime& runtime, const at::Tensor& tensor, bool is_foreign)
      : runtime_(runtime),
        commitment_(runtime, tensor.nbytes()),
        tensor_(is_foreign ? tensor : tensor.clone()),
        tensor_class_(runtime.ledger.present_class.get()),
        is_foreign_(is_foreign) {
    runtime_.ledger.hold(tensor_.nbytes(), tensor_class_);
  }
  HeldTensor(const HeldTensor&) = delete;
  HeldTensor& operator=(const HeldTensor&) = delete;
  ~HeldTensor() {
    runtime_.ledger.let_go(tensor_.nbytes(), tensor_class_);
    if (is_foreign_) runtime_.retired.retire(std::move(tensor_));
  }
  [[nodiscard]] const at::Tensor& tensor() const noexcept { return tensor_; }

 private:
  Runtime& runtime_;
  Commitment commitment_;
  at::Tensor tensor_;
  TensorClass tensor_class_;
  bool is_foreign_;  ///< The caller's own: its last reference must fall on a front-end thread.
};

// Bodies of the two copies that are operations.
struct CopyFromHost {
  void operator()() { target.host_tensor().copy_(source->tensor()); }
  [[nodiscard]] std::size_t describe(std::span<char> text) const noexcept {
    return write_operands({&target}, text);
  }
  std::unique_ptr<HeldTensor> source;
  Operand target;
};
struct CopyOnDevice {
  void operator()() { target.host_tensor().copy_(source.host_tensor()); }
  [[nodiscard]] std::size_t describe(std::span<char> text) const noexcept {
    return write_operands({&target, &source}, text);
  }
  Operand source;
  Operand target;
};

void fill_from_host(Runtime& runtime, const Operand& target, const at::Tensor& source) {
  Block& block = *target.block();
  Commitment commitment(runtime, block.is_committed() ? 0 : block.size_bytes());
  block.memory_for_host_input();
  block.take_over(commitment);
  target.host_tensor().copy_(source);
}

void copy_from_host(const at::Tensor& source, const at::Tensor& target, bool is_non_blocking) {
  Runtime& runtime = Runtime::get();
  Operand operand = Operand::of(target);
  if (operand.block()->is_fresh() && operand.covers_block() && !is_non_blocking) {
    fill_from_host(runtime, operand, source);
    return;
  }
  auto held = std::make_unique<HeldTensor>(runtime, source, is_non_blocking);
  Accesses accesses;
  name_block(accesses, *operand.block(), write_mode(operand));
  runtime.push({.name = "copy_from_host",
                .body = CopyFromHost{std::move(held), std::move(operand)},
                .accesses = std::move(accesses.list),
                .cost_bytes = accesses.cost_bytes});
}

void copy_on_device(const at::Tensor& source, const at::Tensor& target) {
  if (source.is_same(target)) return;
  at::assert_no_partial_overlap(target, source);
  Operand from = Operand::of(source);
  Operand to = Operand::of(target);
  Accesses accesses;
  name_block(accesses, *from.block(), engine::AccessMode::kRead);
  name_block(accesses, *to.block(),
             from.block() == to.block() ? engine::AccessMode::kWrite : write_mode(to));
  Runtime::get().push({.name = "copy_",
                       .body = CopyOnDevice{std::move(from), std::move(to)},
                       .accesses = std::move(accesses.list),
                       .cost_bytes = accesses.cost_bytes});
}

void copy_to_host(const at::Tensor& source, const at::Tensor& target) {
  Runtime::get().wait_to_read(source);
  at::Tensor writable = target;
  writable.copy_(Operand::of(source).host_tensor());
}

at::Tensor copy_from(const at::Tensor& source, const at::Tensor& target, bool is_non_blocking) {
  const bool is_supported =
      (is_on_device(source) || source.is_cpu()) && (is_on_device(target) || target.is_cpu());
  TORCH_CHECK(is_supported, "acpu: can't copy from ", source.device(), " to ", target.device(),
              "; copy by way of cpu");
  at::assert_no_internal_overlap(target);
  const at::Tensor expanded = source.sizes() == target.sizes() ? source : source.expand_as(target);
  if (!is_on_device(target)) {
    copy_to_host(expanded, target);
  } else if (is_on_device(source)) {
    copy_on_device(expanded, target);
  } else {
    copy_from_host(expanded, target, is_non_blocking);
  }
  return target;
}

at::Tensor copy_from_and_resize(const at::Tensor& source, const at::Tensor& target) {
  target.resize_(source.sizes());
  return copy_from(source, target, false);
}

at::Scalar local_scalar_dense(const at::Tensor& self) {
  Runtime::get().wait_to_read(self);
  return at::_local_scalar_dense(Operand::of(self).host_tensor());
}

}  // namespace

void register_copy_kernels(torch::Library& library) {
  library.impl("_copy_from", TORCH_FN(copy_from));
  library.impl("_copy_from_and_resize", TORCH_FN(copy_from_and_resize));
  library.impl("_local_scalar_dense", TORCH_FN(local_scalar_dense));
}

}  // namespace runahead::device
