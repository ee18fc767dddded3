#include "core/device/dispatch/kernel_result.h"

#include <ATen/EmptyTensor.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/ops/empty_strided.h>

#include <array>
#include <sstream>
#include <string>

#include "core/base/error.h"
#include "core/device/dispatch/operands_text.h"

namespace runahead::device {
namespace {

// Whether the block can take over the result instead of copying from it.
bool is_adoptable(const at::Tensor& result, const Operand& output) {
  const c10::Storage& storage = result.storage();
  return !output.block()->has_memory() && result.use_count() == 1 && storage.use_count() == 1 &&
         result.storage_offset() == 0 && !result.is_conj() && !result.is_neg() &&
         storage.allocator() != nullptr && storage.nbytes() == output.block()->size_bytes() &&
         result.strides() == c10::IntArrayRef(output.layout().strides);
}

// Throws if the tensor does not have the promised shape and type.
void require_promised(std::string_view operator_name, const TensorLayout& promised,
                      const at::Tensor& tensor) {
  if (tensor.defined() && tensor.sizes() == c10::IntArrayRef(promised.sizes) &&
      tensor.scalar_type() == promised.dtype) {
    return;
  }
  std::ostringstream message;
  message << operator_name << " was issued for a result of shape "
          << c10::IntArrayRef(promised.sizes) << ' ' << promised.dtype << " but returned ";
  if (tensor.defined()) {
    message << tensor.sizes() << ' ' << tensor.scalar_type();
  } else {
    message << "none";
  }
  message << "; later calls of it wait for their results: make this one again, and report it";
  throw UnforeseenResult(message.str());
}

}  // namespace

void settle_written(std::string_view operator_name, const TensorLayout& promised,
                    at::Tensor& written) {
  require_promised(operator_name, promised, written);
  if (written.strides() != c10::IntArrayRef(promised.strides)) {
    const at::Tensor values = written.clone();
    written = make_host_tensor(written.storage(), promised);
    written.copy_(values);
    return;
  }
  if (written.is_conj() != promised.is_conjugate) {
    written._set_conj(promised.is_conjugate);
    written.conj_physical_();
  }
  if (written.is_neg() != promised.is_negative) {
    written._set_neg(promised.is_negative);
    written.neg_();
  }
}

void store_result(std::string_view operator_name, const Operand& output, at::Tensor result) {
  require_promised(operator_name, output.layout(), result);
  if (is_adoptable(result, output)) {
    output.block()->adopt(std::move(result), output.layout());
  } else {
    copy_alike(output.host_tensor(), result);
  }
}

bool has_internal_overlap(const at::Tensor& tensor) {
  return at::has_internal_overlap(tensor) == at::MemOverlap::Yes;
}

void copy_alike(const at::Tensor& target, const at::Tensor& source) {
  if (!has_internal_overlap(target) || source.strides() != target.strides()) {
    target.copy_(source);
    return;
  }
  const auto spanned = static_cast<std::int64_t>(
      at::detail::computeStorageNbytes(target.sizes(), target.strides(), 1));
  target.as_strided({spanned}, {1}).copy_(source.as_strided({spanned}, {1}));
}

void require_strided(std::string_view operator_name, const at::Tensor& tensor) {
  const char* kind = tensor.is_quantized() ? "quantized" : tensor.is_nested() ? "nested" : nullptr;
  TORCH_CHECK_NOT_IMPLEMENTED(kind == nullptr, operator_name, ": found a ", kind,
                              " tensor, and acpu has strided tensors only; call it on cpu");
  TORCH_CHECK_NOT_IMPLEMENTED(tensor.layout() == at::kStrided, operator_name, ": found layout ",
                              tensor.layout(),
                              ", and acpu has strided tensors only; call it on cpu");
}

at::Tensor copy_with_strides(const at::Tensor& tensor) {
  if (tensor.is_non_overlapping_and_dense()) return tensor.clone();
  at::Tensor copy = at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options());
  return copy.copy_(tensor);
}

std::string described_call(std::string_view operator_name, c10::ArrayRef<const Operand*> operands) {
  std::string call(operator_name);
  if (operands.empty()) return call;
  std::array<char, 1024> text{};
  const std::size_t length = write_operands(operands, text);
  return call.append(" on ").append(text.data(), length);
}

void rethrow_with_call(c10::Error& error, MemoryLedger& ledger, const std::string& call) {
  const std::string what = error.what_without_backtrace();
  if (what.find("DefaultCPUAllocator") != std::string::npos) {
    ledger.failures.fetch_add(1, std::memory_order_relaxed);
    throw OutOfMemoryError("acpu: " + call + ": " + what);
  }
  error.add_context(call);
  throw;
}

}  // namespace runahead::device
