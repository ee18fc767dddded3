#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/_local_scalar_dense.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <forward_list>
#include <memory>
#include <span>
#include <utility>

#include "core/device/dispatch/issue.h"
#include "core/device/dispatch/kernel_result.h"
#include "core/device/dispatch/operand.h"
#include "core/device/dispatch/operands_text.h"
#include "core/device/failures.h"
#include "core/device/layouts/shape_function.h"
#include "core/device/storage/commitment.h"
#include "core/device/torch/pinned_allocator.h"
#include "core/device/torch/registrations.h"

namespace runahead::device {
namespace {

engine::AccessMode write_mode(const Operand& target) {
  return target.covers_block() ? engine::AccessMode::kOverwrite : engine::AccessMode::kWrite;
}

c10::Stream current_stream(Runtime& runtime) {
  return c10::Stream(c10::Stream::UNSAFE, c10::Device(c10::kPrivateUse1, 0),
                     runtime.streams.current());
}

// A tensor on the same memory that does not own it.
at::Tensor alias_of(const at::Tensor& host) {
  const c10::DataPtr& memory = host.storage().data_ptr();
  c10::Storage storage(c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), host.storage().nbytes(),
      c10::DataPtr(memory.get(), memory.device()), nullptr, false));
  return make_host_tensor(std::move(storage), TensorLayout::of(host));
}

// Host data that a copy in flight reads, counted as held until the copy is done: a private copy; or
// an alias of the caller's tensor, unaffected by what the caller then does with that tensor's shape
// or autograd with the tensor; or pinned memory, which its allocator keeps until then.
class HostData {
 public:
  // All three may block at the run-ahead limit.
  [[nodiscard]] static std::unique_ptr<HostData> snapshot(Runtime& runtime,
                                                          const at::Tensor& source) {
    auto data = std::make_unique<HostData>(runtime, source.nbytes());
    try {
      data->hold(source.clone());
    } catch (c10::Error& error) {
      rethrow_with_call(error, runtime.ledger, "copy_from_host");
    }
    return data;
  }
  [[nodiscard]] static std::unique_ptr<HostData> kept(Runtime& runtime, const at::Tensor& source) {
    auto data = std::make_unique<HostData>(runtime, source.nbytes());
    data->is_foreign_ = true;
    data->hold(make_host_tensor(source.storage(), TensorLayout::of(source)));
    return data;
  }

  [[nodiscard]] static std::unique_ptr<HostData> pinned(Runtime& runtime,
                                                        const at::Tensor& source) {
    auto data = std::make_unique<HostData>(runtime, source.nbytes());
    data->pinned_ = record_pinned_use(source.storage().data(), current_stream(runtime));
    runtime.held_pinned_bytes.fetch_add(data->commitment_.bytes(), std::memory_order_relaxed);
    data->hold(alias_of(source));
    return data;
  }

  HostData(Runtime& runtime, std::uint64_t bytes)
      : runtime_(runtime),
        commitment_(runtime, bytes),
        tensor_class_(runtime.ledger.present_class.get()) {}
  HostData(const HostData&) = delete;
  HostData& operator=(const HostData&) = delete;
  ~HostData() {
    if (tensor_.empty()) return;
    runtime_.ledger.let_go(commitment_.bytes(), tensor_class_);
    if (pinned_) {
      runtime_.held_pinned_bytes.fetch_sub(commitment_.bytes(), std::memory_order_relaxed);
    }
    if (is_foreign_) runtime_.retired.retire(std::move(tensor_));
  }

  [[nodiscard]] const engine::VariablePtr& pinned_memory() const noexcept { return pinned_; }
  /// @throws c10::Error if the caller has shrunk its storage too far meanwhile.
  [[nodiscard]] const at::Tensor& tensor() const {
    const at::Tensor& tensor = tensor_.front();
    TORCH_CHECK(TensorLayout::of(tensor).storage_bytes() <= tensor.storage().nbytes(),
                "acpu: the source of a non-blocking copy was resized before the copy ran");
    return tensor;
  }

 private:
  void hold(at::Tensor tensor) {
    tensor_.push_front(std::move(tensor));
    runtime_.ledger.hold(commitment_.bytes(), tensor_class_);
  }

  Runtime& runtime_;
  const Commitment commitment_;
  const TensorClass tensor_class_;
  engine::VariablePtr pinned_{};  ///< Orders operations on pinned memory.
  bool is_foreign_ = false;  ///< A front-end thread must drop the last reference to the memory.
  std::forward_list<at::Tensor> tensor_{};
};

// Bodies of the copies that are operations.
struct CopyFromHost {
  void operator()() { target.host_tensor().copy_(source->tensor()); }
  [[nodiscard]] std::size_t describe(std::span<char> text) const noexcept {
    return write_operands({&target}, text);
  }
  std::unique_ptr<HostData> source;
  Operand target;
};
struct CopyToPinned {
  void operator()() { target.copy_(source.host_tensor()); }
  [[nodiscard]] std::size_t describe(std::span<char> text) const noexcept {
    return write_operands({&source}, text);
  }
  Operand source;
  at::Tensor target;
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

// The memory of a pinned tensor may be the target of a copy in flight.
void wait_for_copies_into(Runtime& runtime, const at::Tensor& pinned) {
  runtime.wait_to_read(pinned_variable(pinned.storage().data()));
}

void copy_from_host(const at::Tensor& source, const at::Tensor& target, bool is_non_blocking) {
  Runtime& runtime = Runtime::get();
  Operand operand = Operand::of(target);
  const bool has_pinned = is_pinned(source.storage().data());
  if (has_pinned && !is_non_blocking) wait_for_copies_into(runtime, source);
  const bool is_read_later =
      is_non_blocking && (has_pinned || runtime.host_copies() == HostCopies::kKeep);
  if (operand.block()->is_fresh() && operand.covers_block() && !is_read_later) {
    fill_from_host(runtime, operand, source);
    return;
  }
  auto data = !is_read_later ? HostData::snapshot(runtime, source)
              : has_pinned   ? HostData::pinned(runtime, source)
                             : HostData::kept(runtime, source);
  Accesses accesses;
  name_block(accesses, *operand.block(), write_mode(operand));
  if (data->pinned_memory()) {
    accesses.list.push_back({data->pinned_memory(), engine::AccessMode::kRead});
  }
  issue(runtime, "copy_from_host", std::move(accesses),
        CopyFromHost{std::move(data), std::move(operand)});
}

void copy_on_device(const at::Tensor& source, const at::Tensor& target) {
  Operand from = Operand::of(source);
  Operand to = Operand::of(target);
  Accesses accesses;
  name_block(accesses, *from.block(), engine::AccessMode::kRead);
  name_block(accesses, *to.block(),
             from.block() == to.block() ? engine::AccessMode::kWrite : write_mode(to));
  issue(Runtime::get(), "copy_", std::move(accesses), CopyOnDevice{std::move(from), std::move(to)});
}

// Ordered behind the copies in flight that use the memory, as a stream orders them on CUDA.
void copy_to_pinned(const at::Tensor& source, const at::Tensor& target, bool is_non_blocking) {
  Runtime& runtime = Runtime::get();
  Operand from = Operand::of(source);
  Accesses accesses;
  name_block(accesses, *from.block(), engine::AccessMode::kRead);
  const engine::VariablePtr memory =
      record_pinned_use(target.storage().data(), current_stream(runtime));
  accesses.list.push_back({memory, engine::AccessMode::kOverwrite});
  issue(runtime, "copy_to_host", std::move(accesses),
        CopyToPinned{std::move(from), alias_of(target)});
  if (!is_non_blocking || runtime.host_copies() != HostCopies::kKeep) runtime.wait_to_read(memory);
}

void copy_to_host(const at::Tensor& source, const at::Tensor& target, bool is_non_blocking) {
  if (is_pinned(target.storage().data())) return copy_to_pinned(source, target, is_non_blocking);
  Runtime::get().wait_to_read(source);
  at::Tensor writable = target;
  writable.copy_(Operand::of(source).host_tensor());
}

// Throws with LibTorch's error message.
void require_broadcast(const at::Tensor& source, const at::Tensor& target) {
  const at::DimVector sizes = at::infer_size_dimvector(target.sizes(), source.sizes());
  TORCH_CHECK(target.sizes() == c10::IntArrayRef(sizes), "output with shape ", target.sizes(),
              " doesn't match the broadcast shape ", c10::IntArrayRef(sizes));
}

// Makes LibTorch warn at the call, as often as it would on the CPU, that imaginary parts are lost.
void warn_of_lost_imaginary_parts() { at::zeros({1}, at::kComplexFloat).to(at::kFloat); }

// As LibTorch's copies on the CPU, which leave such a target as it is even if it overlaps itself.
bool are_same_elements(const at::Tensor& source, const at::Tensor& target) {
  return source.is_same(target) ||
         (source.is_alias_of(target) && TensorLayout::of(source).describes(target));
}

at::Tensor copy_from(const at::Tensor& source, const at::Tensor& target, bool is_non_blocking) try {
  const bool is_supported = (source.is_privateuseone() || source.is_cpu()) &&
                            (target.is_privateuseone() || target.is_cpu());
  TORCH_CHECK(is_supported, "acpu: can't copy from ", source.device(), " to ", target.device(),
              "; copy by way of cpu");
  if (are_same_elements(source, target)) return target;
  at::assert_no_internal_overlap(target);
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  if (source.sizes() != target.sizes()) require_broadcast(source, target);
  const bool loses_imaginary_parts =
      source.is_complex() && !target.is_complex() && target.scalar_type() != at::kBool;
  if (loses_imaginary_parts) warn_of_lost_imaginary_parts();
  if (ShapeProbe::is_present()) return target;  // baddbmm's shape function copies to the result.
  if (source.is_privateuseone() && target.is_privateuseone())
    at::assert_no_partial_overlap(target, source);
  const at::Tensor expanded = source.sizes() == target.sizes() ? source : source.expand_as(target);
  if (!target.is_privateuseone()) {
    copy_to_host(expanded, target, is_non_blocking);
  } else if (source.is_privateuseone()) {
    copy_on_device(expanded, target);
  } else {
    copy_from_host(source, target, is_non_blocking);
  }
  return target;
} catch (const OutOfMemoryError& error) {
  throw_to_torch(error);
}

at::Tensor copy_from_and_resize(const at::Tensor& source, const at::Tensor& target) {
  target.resize_(source.sizes());
  return copy_from(source, target, false);
}

at::Scalar local_scalar_dense(const at::Tensor& self) try {
  Runtime::get().wait_to_read(self);
  return at::_local_scalar_dense(Operand::of(self).host_tensor());
} catch (const OutOfMemoryError& error) {
  throw_to_torch(error);
}

}  // namespace

void register_copy_kernels(torch::Library& library) {
  library.impl("_copy_from", TORCH_FN(copy_from));
  library.impl("_copy_from_and_resize", TORCH_FN(copy_from_and_resize));
  library.impl("_local_scalar_dense", TORCH_FN(local_scalar_dense));
}

}  // namespace runahead::device
