#include "core/array_files/inflated_array.h"

#include <algorithm>

#include "core/base/number_text.h"

namespace runahead::array_files {
namespace {

/// The most bytes that a compressed one inflates to: a deflate stream can encode 258 in 2 bits.
constexpr std::uint64_t kMostRatio = 1032;

/// Checks that the number of elements is consistent with the rest of the file.
void require_possible(const Layout& layout, const CompressedArray& compressed,
                      const std::string& source) {
  const std::string found = counted(layout.bytes, "byte") + " of elements, as the header says";
  const std::uint64_t most = kMostRatio * compressed.compressed_bytes;
  if (layout.bytes > most) {
    refuse(source, layout.offset, found,
           "at most " + counted(most, "byte") + ", which " +
               counted(compressed.compressed_bytes, "compressed byte") + " can inflate to");
  }
  const std::uint64_t inflated = compressed.inflated_bytes.value_or(layout.offset + layout.bytes);
  if (layout.offset + layout.bytes != inflated) {
    refuse(source, layout.offset, found,
           "as many as the archive says: " + counted(inflated, "byte") + " with the header's " +
               std::to_string(layout.offset));
  }
}

}  // namespace

Array inflate_array(const CompressedArray& compressed, HeaderReader read_header,
                    const std::string& source) {
  std::vector<std::byte> head(
      std::min<std::uint64_t>(kMostHeaderBytes, kMostRatio * compressed.compressed_bytes));
  head.resize(compressed.inflate(head));
  const Layout layout = read_header(head, source);
  require_possible(layout, compressed, source);

  // Room for a byte too many makes zlib go on to the checksum behind the last element.
  const std::uint64_t room = layout.bytes + 1;
  const std::shared_ptr<std::byte> elements = make_buffer(room, source);
  const auto begin = std::span(head).subspan(layout.offset);
  const std::uint64_t known = std::min<std::uint64_t>(begin.size(), room);
  std::copy_n(begin.begin(), known, elements.get());
  const std::uint64_t present = known + compressed.inflate({elements.get() + known, room - known});
  if (present != layout.bytes) {
    refuse(source, layout.offset,
           (present == room ? "more than " : "") +
               counted(std::min(present, layout.bytes), "byte") + " of elements",
           counted(layout.bytes, "byte") + ", as the header says");
  }
  return array_of(layout, elements, source);
}

}  // namespace runahead::array_files
