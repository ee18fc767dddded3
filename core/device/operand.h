#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/DimVector.h>
#include <c10/util/SmallVector.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "core/device/block.h"

namespace runahead::device {

/// Shape, layout in memory and type of a tensor, without the tensor.
struct TensorLayout {
  at::DimVector sizes{};
  at::DimVector strides{};          ///< In elements.
  std::int64_t storage_offset = 0;  ///< In elements.
  at::ScalarType dtype = at::ScalarType::Float;
  bool is_conjugate = false;
  bool is_negative = false;

  [[nodiscard]] static TensorLayout of(const at::Tensor& tensor);
  [[nodiscard]] std::int64_t element_count() const noexcept;
  /// Bytes of a storage that holds this layout, from its start.
  [[nodiscard]] std::uint64_t storage_bytes() const noexcept;
  [[nodiscard]] bool is_contiguous() const noexcept;
};

/// What an operation remembers of a device tensor: its layout as it was at issue (the tensor may be
/// resized or viewed before the operation runs) and its block, which the operation's accesses keep
/// alive.
struct Operand {
  Block* block = nullptr;
  TensorLayout layout{};

  /// @throws UsageError if `tensor` is not on the acpu device.
  [[nodiscard]] static Operand of(const at::Tensor& tensor);
  /// Whether writing the operand replaces every byte of its block.
  [[nodiscard]] bool covers_block() const noexcept;
};

/// CPU tensors over blocks, for the time of one kernel. Operands of one block share one storage, so
/// that kernels see overlap and aliasing as they would on CPU. The tensors own nothing and cannot
/// be resized.
class HostViews {
 public:
  /// Claims the block's memory if need be. @throws OutOfMemoryError
  [[nodiscard]] at::Tensor of(const Operand& operand);
  /// Whether `storage` is one of those made here.
  [[nodiscard]] bool owns(const c10::Storage& storage) const noexcept;

 private:
  c10::SmallVector<std::pair<Block*, c10::Storage>, 4> storages_{};
};

/// A tensor on the device over a new block, uninitialised; nothing is claimed yet.
[[nodiscard]] at::Tensor make_device_tensor(const TensorLayout& layout);

/// The block behind a device tensor's storage.
[[nodiscard]] Block& block_of(const at::Tensor& tensor);

}  // namespace runahead::device
