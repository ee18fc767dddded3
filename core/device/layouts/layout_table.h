#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

#include "core/device/layouts/tensor_layout.h"

namespace runahead::device {

/// Layouts seen so far, one copy each, for blocks and operations to refer to. A stored layout stays
/// as long as the table. Layouts with an offset, which slicing creates without end, are not stored,
/// nor is one whose few possible slots are all taken: so a look-up costs the same however many
/// layouts a program has. Thread-safe, without locks.
class LayoutTable {
 public:
  static constexpr std::size_t kSlots = 16384;  ///< The most that are stored.

  LayoutTable();
  ~LayoutTable();
  LayoutTable(const LayoutTable&) = delete;
  LayoutTable& operator=(const LayoutTable&) = delete;

  /// The table's copy of the tensor's layout; null if it has none.
  [[nodiscard]] const TensorLayout* find(const at::Tensor& tensor);
  /// The same for a contiguous layout of these sizes.
  [[nodiscard]] const TensorLayout* find_contiguous(c10::IntArrayRef sizes, at::ScalarType dtype);

 private:
  static constexpr std::size_t kPlaces = 8;  ///< Possible slots of one layout.
  using Slot = std::atomic<const TensorLayout*>;

  template <typename IsSame, typename Make>
  const TensorLayout* find(std::uint64_t hash, IsSame&& is_same, Make&& make);

  std::unique_ptr<std::array<Slot, kSlots>> slots_;
};

/// A reference to a layout of the table or of a block, or to one that it owns. Move-only.
class LayoutReference {
 public:
  LayoutReference() noexcept = default;
  [[nodiscard]] static LayoutReference of(LayoutTable& table, const at::Tensor& tensor);
  /// `known` must outlive the reference: it belongs to a table, or to the operation's block.
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
  /// Transfers the layout that it owns to an owner that outlives the reference.
  [[nodiscard]] std::unique_ptr<const TensorLayout> hand_over() noexcept {
    std::unique_ptr<const TensorLayout> own(&**this);
    address_ &= ~kOwn;
    return own;
  }

 private:
  static constexpr std::uintptr_t kOwn = 1;

  template <typename Make>
  static LayoutReference make(const TensorLayout* known, Make&& make_own);

  std::uintptr_t address_ = 0;  ///< Of the layout; + kOwn if the reference owns it.
};

}  // namespace runahead::device
