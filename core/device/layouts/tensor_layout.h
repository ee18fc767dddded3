#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/DimVector.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace runahead::device {

/// Shape, layout in memory and type of a tensor, without the tensor.
struct TensorLayout {
  at::DimVector sizes{};
  at::DimVector strides{};          ///< In elements.
  std::int64_t storage_offset = 0;  ///< In elements.
  at::ScalarType dtype = at::ScalarType::Float;
  bool is_conjugate = false;
  bool is_negative = false;

  [[nodiscard]] bool operator==(const TensorLayout&) const = default;

  [[nodiscard]] static TensorLayout of(const at::Tensor& tensor);
  [[nodiscard]] static TensorLayout contiguous(c10::IntArrayRef sizes, at::ScalarType dtype);
  /// Whether `tensor` has exactly this layout.
  [[nodiscard]] bool describes(const at::Tensor& tensor) const noexcept;
  [[nodiscard]] std::int64_t element_count() const noexcept;
  /// Bytes of a storage that holds this layout, from its start.
  [[nodiscard]] std::uint64_t storage_bytes() const noexcept;
  [[nodiscard]] bool is_contiguous() const noexcept;
  /// Whether it equals contiguous(other_sizes, other_dtype).
  [[nodiscard]] bool is_contiguous_of(c10::IntArrayRef other_sizes,
                                      at::ScalarType other_dtype) const noexcept;
};

/// Whether the strides are those of a new contiguous tensor, even in dimensions of one element,
/// whose strides LibTorch ignores when it asks whether a tensor is contiguous, and keeps in
/// results.
[[nodiscard]] inline bool are_usual_strides(c10::IntArrayRef sizes,
                                            c10::IntArrayRef strides) noexcept {
  std::int64_t stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0; stride *= std::max<std::int64_t>(sizes[i], 1)) {
    if (strides[i] != stride) return false;
  }
  return true;
}

/// The layout of each tensor a call returns, in order; nullopt: an undefined tensor.
using ReturnLayouts = std::vector<std::optional<TensorLayout>>;

}  // namespace runahead::device
