#pragma once

#include <ATen/core/Tensor.h>

#include <utility>

#include "core/device/layouts/layout_table.h"
#include "core/device/storage/block.h"

namespace runahead::device {

/// What an operation keeps of a device tensor: its layout at issue (the tensor may be resized or
/// viewed before the operation runs) and its block, which the operation's accesses keep alive.
/// Move-only.
class Operand {
 public:
  Operand() noexcept = default;
  /// @throws UsageError if `tensor` is not on the acpu device; c10::Error if it reaches beyond its
  /// storage.
  [[nodiscard]] static Operand of(const at::Tensor& tensor);
  /// The same for a tensor that was created with `layout`.
  [[nodiscard]] static Operand of(const at::Tensor& tensor, LayoutReference layout);
  Operand(Operand&& other) noexcept
      : block_(std::exchange(other.block_, nullptr)), layout_(std::move(other.layout_)) {}
  Operand& operator=(Operand&& other) noexcept = default;

  [[nodiscard]] Block* block() const noexcept { return block_; }
  [[nodiscard]] const TensorLayout& layout() const noexcept { return *layout_; }
  /// Whether `other` is the same tensor, or a view of all of it.
  [[nodiscard]] bool is_same(const Operand& other) const noexcept {
    return block_ == other.block_ && *layout_ == *other.layout_;
  }
  /// Whether writing the operand replaces every byte of its block.
  [[nodiscard]] bool covers_block() const noexcept;

  /// A CPU tensor over the block's memory for a kernel that does not change its shape; it may be
  /// shared. Claims the memory if needed. @throws OutOfMemoryError
  [[nodiscard]] at::Tensor host_tensor() const;
  /// The same, not shared.
  [[nodiscard]] at::Tensor own_host_tensor() const;

 private:
  Operand(Block& block, LayoutReference layout) noexcept;

  Block* block_ = nullptr;
  LayoutReference layout_{};
};

/// An uninitialised device tensor over a new block, claimed according to the allocation model.
[[nodiscard]] at::Tensor make_device_tensor(const TensorLayout& layout);

/// The block behind a device tensor's storage.
[[nodiscard]] Block& block_of(const at::Tensor& tensor);

}  // namespace runahead::device
