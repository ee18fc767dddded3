#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>

namespace runahead::engine {

/// A move-only vector that stores up to `kInline` elements inline and more on the heap, so that a
/// typical operation allocates nothing. Elements must move without throwing.
///
/// Pointers to elements stay valid until the vector grows, moves or is cleared.
template <typename Element, std::size_t kInline>
class InlineVector {
  static_assert(std::is_nothrow_move_constructible_v<Element>);

 public:
  using value_type = Element;
  using iterator = Element*;
  using const_iterator = const Element*;

  InlineVector() noexcept {}  // NOLINT: `= default` would let `{}` zero the inline memory.
  InlineVector(std::initializer_list<Element> elements) {
    reserve(elements.size());
    for (const Element& element : elements) push_back(element);
  }
  InlineVector(InlineVector&& other) noexcept { take(other); }
  InlineVector& operator=(InlineVector&& other) noexcept {
    if (this != &other) {
      clear();
      take(other);
    }
    return *this;
  }
  ~InlineVector() { clear(); }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  Element* begin() noexcept { return data_; }
  Element* end() noexcept { return data_ + size_; }
  const Element* begin() const noexcept { return data_; }
  const Element* end() const noexcept { return data_ + size_; }
  Element& operator[](std::size_t index) noexcept { return data_[index]; }
  const Element& operator[](std::size_t index) const noexcept { return data_[index]; }

  /// @throws std::bad_alloc, without effect.
  void reserve(std::size_t count) {
    if (count > capacity_) grow(count);
  }
  void push_back(Element element) { emplace_back(std::move(element)); }
  template <typename... Arguments>
  Element& emplace_back(Arguments&&... arguments) {
    if (size_ == capacity_) grow(std::size_t{2} * capacity_);
    Element* const element =
        std::construct_at(data_ + size_, std::forward<Arguments>(arguments)...);
    ++size_;
    return *element;
  }

  /// Destroys the elements and returns heap memory.
  void clear() noexcept {
    std::destroy_n(data_, size_);
    size_ = 0;
    if (is_on_heap()) {
      std::allocator<Element>().deallocate(data_, capacity_);
      reset_to_inline();
    }
  }

 private:
  [[nodiscard]] Element* inline_data() noexcept { return reinterpret_cast<Element*>(inline_); }
  [[nodiscard]] bool is_on_heap() const noexcept { return capacity_ != kInline; }

  void reset_to_inline() noexcept {
    data_ = inline_data();
    capacity_ = kInline;
  }

  // Precondition: *this is empty and inline.
  void take(InlineVector& other) noexcept {
    if (other.is_on_heap()) {
      data_ = std::exchange(other.data_, other.inline_data());
      capacity_ = std::exchange(other.capacity_, static_cast<std::uint32_t>(kInline));
    } else {
      std::uninitialized_move_n(other.data_, other.size_, data_);
      std::destroy_n(other.data_, other.size_);
    }
    size_ = std::exchange(other.size_, 0);
  }

  void grow(std::size_t count) {
    Element* const larger = std::allocator<Element>().allocate(count);
    std::uninitialized_move_n(data_, size_, larger);
    const std::uint32_t size = size_;
    clear();
    data_ = larger;
    size_ = size;
    capacity_ = static_cast<std::uint32_t>(count);
  }

  Element* data_ = inline_data();
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = kInline;
  alignas(Element) std::byte inline_[kInline * sizeof(Element)];
};

}  // namespace runahead::engine
