#include "core/array_files/array.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "core/base/number_text.h"

namespace runahead::array_files {
namespace {

std::string bytes_text(std::uint64_t bytes) { return counted(bytes, "byte"); }

void require_bools(const std::byte* data, const Layout& layout, const std::string& source) {
  const std::byte* const end = data + layout.bytes;
  const std::byte* const wrong =
      std::find_if(data, end, [](std::byte value) { return value > std::byte{1}; });
  if (wrong == end) return;
  refuse(source, layout.offset + static_cast<std::uint64_t>(wrong - data),
         std::to_string(std::to_integer<int>(*wrong)) + " in an array of bools", "0 and 1");
}

/// An axis of an array in a file.
struct Axis {
  std::uint64_t size = 0;
  std::uint64_t stride = 0;  ///< Bytes from one index to the next.
};

/// The axes, the first one outermost. In row-major order all elements are in one row.
std::vector<Axis> axes_of(const Layout& layout) {
  std::uint64_t stride = size_of(layout.type);
  if (!layout.is_column_major) return {{.size = layout.bytes / stride, .stride = stride}};
  std::vector<Axis> axes;
  for (const std::int64_t size : layout.shape) {
    axes.push_back({.size = static_cast<std::uint64_t>(size), .stride = stride});
    stride *= axes.back().size;
  }
  return axes;
}

/// Copies elements of `Size` bytes to row-major order. @return the end of what was written.
template <std::size_t Size>
std::byte* copy_elements(std::span<const Axis> axes, bool is_reversed, const std::byte* from,
                         std::byte* to) {
  if (axes.empty()) {
    std::memcpy(to, from, Size);
    if (is_reversed) std::reverse(to, to + Size);
    return to + Size;
  }
  for (std::uint64_t index = 0; index < axes[0].size; ++index) {
    to = copy_elements<Size>(axes.subspan(1), is_reversed, from + index * axes[0].stride, to);
  }
  return to;
}

}  // namespace

std::size_t size_of(ElementType type) {
  constexpr std::array<std::size_t, 10> kSizes{1, 1, 1, 2, 4, 8, 2, 2, 4, 8};
  return kSizes.at(static_cast<std::size_t>(type));
}

std::uint64_t Array::bytes() const {
  std::uint64_t bytes = size_of(type);
  for (const std::int64_t size : shape) bytes *= static_cast<std::uint64_t>(size);
  return bytes;
}

std::uint64_t checked_bytes(ElementType type, const std::vector<std::int64_t>& shape,
                            const std::string& source, std::uint64_t shape_offset) {
  if (shape.size() > kMostDimensions) {
    refuse(source, shape_offset, std::to_string(shape.size()) + " dimensions",
           "at most " + std::to_string(kMostDimensions));
  }
  std::uint64_t most = size_of(type);
  for (const std::int64_t size : shape) {
    const auto factor = static_cast<std::uint64_t>(std::max<std::int64_t>(size, 1));
    if (factor > kMostArrayBytes / most) {
      refuse(
          source, shape_offset,
          "the shape (" + comma_separated(shape) + ") of elements of " + bytes_text(size_of(type)),
          "at most " + bytes_text(kMostArrayBytes) + " in total");
    }
    most *= factor;
  }
  return std::find(shape.begin(), shape.end(), 0) == shape.end() ? most : 0;
}

Array array_at_the_end(const FileBytes& file, const Layout& layout) {
  const std::uint64_t present = file.size - layout.offset;
  if (present != layout.bytes) {
    refuse(file.source, layout.offset, bytes_text(present) + " of elements",
           bytes_text(layout.bytes) + ", as the header says");
  }
  return array_of(layout, {file.data, file.data.get() + layout.offset}, file.source);
}

Array array_of(const Layout& layout, const std::shared_ptr<const std::byte>& data,
               const std::string& source) {
  const std::size_t element_bytes = size_of(layout.type);
  const bool is_column_major = layout.is_column_major && layout.shape.size() > 1;
  const bool is_reversed =
      element_bytes > 1 && layout.is_big_endian != (std::endian::native == std::endian::big);
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(data.get()) % element_bytes == 0;
  if (layout.type == ElementType::kBool) require_bools(data.get(), layout, source);
  Array array{.type = layout.type, .shape = layout.shape, .data = data};
  if (is_aligned && !is_column_major && !is_reversed) return array;

  const std::shared_ptr<std::byte> copy = make_buffer(layout.bytes, source);
  const auto copy_all = element_bytes == 1   ? copy_elements<1>
                        : element_bytes == 2 ? copy_elements<2>
                        : element_bytes == 4 ? copy_elements<4>
                                             : copy_elements<8>;
  // Axes before an axis of 0 elements may be very long.
  if (layout.bytes > 0) copy_all(axes_of(layout), is_reversed, data.get(), copy.get());
  array.data = copy;
  return array;
}

}  // namespace runahead::array_files
