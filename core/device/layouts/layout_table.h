#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

#include "core/device/layouts/tensor_layout.h"

namespace runahead::device {

/// Layouts seen so far, one copy each, for blocks and operations to refer to. A layout that is
/// taken stays as long as the table. Layouts with an offset, which slicing makes without end, are
/// not taken, nor one that finds no place among the few where it may stand: so a look-up costs the
/// same however many layouts a program has. Thread-safe, without locks.
class LayoutTable {
 public:
  static constexpr std::size_t kSlots = 16384;  ///< The most that are taken.

  LayoutTable();
  ~LayoutTable();
  LayoutTable(const LayoutTable&) = delete;
  LayoutTable& operator=(const LayoutTable&) = delete;

  /// The table's copy of the tensor's layout; null if it has none.
  [[nodiscard]] const TensorLayout* find(const at::Tensor& tensor);
  /// The same for a contiguous layout of these sizes.
  [[nodiscard]] const TensorLayout* find_contiguous(c10::IntArrayRef sizes, at::ScalarType dtype);

 private:
  static constexpr std::size_t kPlaces = 8;  ///< Of one layout.
  using Slot = std::atomic<const TensorLayout*>;

  template <typename IsSame, typename Make>
  const TensorLayout* find(std::uint64_t hash, IsSame&& is_same, Make&& make);

  std::unique_ptr<std::array<Slot, kSlots>> slots_;
};

/// A layout: the table's or a block's, or one of its own. Move-only.
class LayoutReference {
 public:
  LayoutReference() noexcept = default;
  [[nodiscard]] static LayoutReference of(LayoutTable& table, const at::Tensor& tensor);
  /// `known` outlives the reference: it is a table's, or of the block that the operation is on.
  [[nodiscard]] static LayoutReference of_known(const TensorLayout& known) noexcept;
  [[nodiscard]] static LayoutReference contiguous(LayoutTable& table, c10::IntArrayRef sizes,
                                                  at::ScalarType dtype);
  LayoutReference(LayoutReference&& other) noexcept
      : address_(std::exchange(other.address_, std::uintptr_t{0})) {}
  LayoutReference& operator=(LayoutReference&& other) noexcept {
    std::swap(address_, other.address_);
    return *this;
  }
  ~LayoutReference() {
    if (is_own()) delete &**this;
  }

  const TensorLayout& operator*() const noexcept {
    return *reinterpret_cast<const TensorLayout*>(address_ & ~kOwn);
  }
  const TensorLayout* operator->() const noexcept { return &**this; }
  [[nodiscard]] bool is_own() const noexcept { return (address_ & kOwn) != 0; }
  /// Gives up its own layout, to somebody who outlives the reference.
  [[nodiscard]] std::unique_ptr<const TensorLayout> hand_over() noexcept {
    std::unique_ptr<const TensorLayout> own(&**this);
    address_ &= ~kOwn;
    return own;
  }

 private:
  static constexpr std::uintptr_t kOwn = 1;

  template <typename Make>
  static LayoutReference make(const TensorLayout* known, Make&& make_own);

  std::uintptr_t address_ = 0;  ///< Of the layout; + kOwn if it is to be deleted.
};

}  // namespace runahead::device
