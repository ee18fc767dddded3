#pragma once

#include <cstddef>

namespace runahead::engine {

/// Memory from the system, from which objects are carved one after another. From kHugeBytes on it
/// consists of huge pages if the system grants them on request. Not thread-safe.
class Slab {
 public:
  static constexpr std::size_t kHugeBytes = std::size_t{2} << 20;

  /// @param bytes  a multiple of the size of a page; of kHugeBytes, if it is larger.
  /// @throws std::bad_alloc
  explicit Slab(std::size_t bytes);
  ~Slab();
  Slab(Slab&& other) noexcept;
  Slab& operator=(Slab&& other) noexcept;

  /// @return null if less than that is left.
  [[nodiscard]] void* carve(std::size_t bytes) noexcept;

  [[nodiscard]] const std::byte* begin() const noexcept { return begin_; }
  [[nodiscard]] const std::byte* carved_end() const noexcept { return begin_ + carved_bytes_; }

 private:
  std::byte* begin_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t carved_bytes_ = 0;
};

}  // namespace runahead::engine
