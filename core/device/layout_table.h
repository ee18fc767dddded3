#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

#include "core/device/tensor_layout.h"

namespace runahead::device {

/// The layouts seen so far, one copy each: blocks and operations refer to it, and equal layouts
/// have equal addresses. A layout stays as long as the table; when kCapacity are known, new ones
/// are not taken. Thread-safe, without locks.
class LayoutTable {
 public:
  static constexpr std::size_t kCapacity = 8192;

  LayoutTable();
  ~LayoutTable();
  LayoutTable(const LayoutTable&) = delete;
  LayoutTable& operator=(const LayoutTable&) = delete;

  /// The table's copy of the tensor's layout; null if it is new and the table full.
  [[nodiscard]] const TensorLayout* find(const at::Tensor& tensor);
  /// The same for a contiguous layout of these sizes.
  [[nodiscard]] const TensorLayout* find_contiguous(c10::IntArrayRef sizes, at::ScalarType dtype);

 private:
  static constexpr std::size_t kSlots = 2 * kCapacity;
  using Slot = std::atomic<const TensorLayout*>;

  template <typename IsSame, typename Make>
  const TensorLayout* find(std::uint64_t hash, IsSame&& is_same, Make&& make);

  std::unique_ptr<std::array<Slot, kSlots>> slots_;
  std::atomic<std::size_t> count_{0};
};

/// A layout: the table's, or where the table is full, one of its own. Move-only.
class LayoutReference {
 public:
  LayoutReference() noexcept = default;
  [[nodiscard]] static LayoutReference of(LayoutTable& table, const at::Tensor& tensor);
  /// `known` is one of a table's.
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
  /// The table's address for it; null if it is none of the table's.
  [[nodiscard]] const TensorLayout* known() const noexcept { return is_own() ? nullptr : &**this; }

 private:
  static constexpr std::uintptr_t kOwn = 1;

  template <typename Make>
  static LayoutReference make(const TensorLayout* known, Make&& make_own);
  [[nodiscard]] bool is_own() const noexcept { return (address_ & kOwn) != 0; }

  std::uintptr_t address_ = 0;  ///< Of the layout; + kOwn if it is to be deleted.
};

}  // namespace runahead::device
