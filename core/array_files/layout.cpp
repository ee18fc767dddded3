#include "core/array_files/layout.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/array_files/element_order.h"
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

/// Whether the order of the axes makes no difference.
bool is_one_row(const std::vector<std::int64_t>& shape) {
  return std::count_if(shape.begin(), shape.end(), [](std::int64_t size) { return size != 1; }) <=
         1;
}

}  // namespace

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
  const bool is_reordered = layout.is_column_major && !is_one_row(layout.shape);
  const bool is_reversed =
      element_bytes > 1 && layout.is_big_endian != (std::endian::native == std::endian::big);
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(data.get()) % element_bytes == 0;
  if (layout.type == ElementType::kBool) require_bools(data.get(), layout, source);
  Array array{.type = layout.type, .shape = layout.shape, .data = data};
  if (is_aligned && !is_reordered && !is_reversed) return array;

  const std::shared_ptr<std::byte> copy = make_buffer(layout.bytes, source);
  if (is_reordered) {
    copy_to_row_major(layout.shape, element_bytes, data.get(), copy.get());
  } else {
    std::memcpy(copy.get(), data.get(), layout.bytes);
  }
  if (is_reversed) reverse_elements(copy.get(), layout.bytes, element_bytes);
  array.data = copy;
  return array;
}

}  // namespace runahead::array_files
