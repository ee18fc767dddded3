#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/DimVector.h>

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

/// The layout of each tensor a call returns, in order; nullopt: an undefined tensor.
using ReturnLayouts = std::vector<std::optional<TensorLayout>>;

}  // namespace runahead::device
