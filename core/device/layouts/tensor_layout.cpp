#include "core/device/layouts/tensor_layout.h"

#include <c10/util/strides.h>

namespace runahead::device {

TensorLayout TensorLayout::of(const at::Tensor& tensor) {
  TensorLayout layout;
  layout.sizes.assign(tensor.sizes().begin(), tensor.sizes().end());
  layout.strides.assign(tensor.strides().begin(), tensor.strides().end());
  layout.storage_offset = tensor.storage_offset();
  layout.dtype = tensor.scalar_type();
  layout.is_conjugate = tensor.is_conj();
  layout.is_negative = tensor.is_neg();
  return layout;
}

TensorLayout TensorLayout::contiguous(c10::IntArrayRef sizes, at::ScalarType dtype) {
  TensorLayout layout;
  layout.sizes.assign(sizes.begin(), sizes.end());
  layout.strides = c10::contiguous_strides(sizes);
  layout.dtype = dtype;
  return layout;
}

bool TensorLayout::is_contiguous_of(c10::IntArrayRef other_sizes,
                                    at::ScalarType other_dtype) const noexcept {
  return dtype == other_dtype && storage_offset == 0 && !is_conjugate && !is_negative &&
         c10::IntArrayRef(sizes) == other_sizes && are_usual_strides(sizes, strides);
}

bool TensorLayout::describes(const at::Tensor& tensor) const noexcept {
  return dtype == tensor.scalar_type() && tensor.sizes() == c10::IntArrayRef(sizes) &&
         tensor.strides() == c10::IntArrayRef(strides) &&
         storage_offset == tensor.storage_offset() && is_conjugate == tensor.is_conj() &&
         is_negative == tensor.is_neg();
}

std::int64_t TensorLayout::element_count() const noexcept {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  return count;
}

std::uint64_t TensorLayout::storage_bytes() const noexcept {
  std::int64_t last = storage_offset;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return 0;
    last += (sizes[i] - 1) * strides[i];
  }
  return static_cast<std::uint64_t>(last + 1) * c10::elementSize(dtype);
}

bool TensorLayout::is_contiguous() const noexcept {
  std::int64_t expected = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] != 1 && strides[i] != expected) return false;
    expected *= sizes[i];
  }
  return true;
}

}  // namespace runahead::device
