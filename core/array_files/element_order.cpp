#include "core/array_files/element_order.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "core/array_files/layout.h"

namespace runahead::array_files {
namespace {

struct Axis {
  std::uint64_t size = 0;
  std::uint64_t stride = 0;  ///< In column-major order, in elements.
  std::uint64_t index = 0;
};

/// Increments the last axis, with carry. @return how far the element moved in column-major order; a
/// move backwards wraps around.
std::uint64_t advance(std::span<Axis> axes) {
  std::uint64_t moved = 0;
  for (std::size_t number = axes.size(); number-- > 0;) {
    Axis& axis = axes[number];
    moved += axis.stride;
    if (++axis.index < axis.size) break;
    moved -= axis.stride * axis.size;
    axis.index = 0;
  }
  return moved;
}

template <std::size_t Size>
void copy_elements(std::span<Axis> axes, std::uint64_t count, const std::byte* from,
                   std::byte* to) {
  std::uint64_t place = 0;
  for (std::uint64_t element = 0; element < count; ++element) {
    std::memcpy(to + element * Size, from + place * Size, Size);
    place += advance(axes);
  }
}

template <std::size_t Size>
void reverse_each(std::byte* data, std::uint64_t bytes) {
  for (std::uint64_t offset = 0; offset < bytes; offset += Size) {
    std::reverse(data + offset, data + offset + Size);
  }
}

}  // namespace

void copy_to_row_major(const std::vector<std::int64_t>& shape, std::size_t element_bytes,
                       const std::byte* from, std::byte* to) {
  std::array<Axis, kMostDimensions> places{};
  const std::span<Axis> axes = std::span(places).first(shape.size());
  std::uint64_t count = 1;
  for (std::size_t number = 0; number < axes.size(); ++number) {
    axes[number] = {.size = static_cast<std::uint64_t>(shape[number]), .stride = count};
    count *= axes[number].size;
  }
  switch (element_bytes) {
    case 1:
      return copy_elements<1>(axes, count, from, to);
    case 2:
      return copy_elements<2>(axes, count, from, to);
    case 4:
      return copy_elements<4>(axes, count, from, to);
    default:
      return copy_elements<8>(axes, count, from, to);
  }
}

void reverse_elements(std::byte* data, std::uint64_t bytes, std::size_t element_bytes) {
  switch (element_bytes) {
    case 2:
      return reverse_each<2>(data, bytes);
    case 4:
      return reverse_each<4>(data, bytes);
    default:
      return reverse_each<8>(data, bytes);
  }
}

}  // namespace runahead::array_files
