#include "core/array_files/inflated_array.h"

#include <algorithm>

#include "core/base/number_text.h"

namespace runahead::array_files {
namespace {

/// Checks that the number of elements is consistent with the rest of the file.
void require_possible(const Layout& layout, const Inflater& inflater, const std::string& source,
                      std::optional<std::uint64_t> claimed_bytes) {
  const std::string found = counted(layout.bytes, "byte") + " of elements, as the header says";
  if (layout.bytes > inflater.most_bytes()) {
    refuse(source, layout.offset, found,
           "at most " + counted(inflater.most_bytes(), "byte") + ", which " +
               counted(inflater.compressed_bytes(), "compressed byte") + " can inflate to");
  }
  if (claimed_bytes && layout.offset + layout.bytes != *claimed_bytes) {
    refuse(source, layout.offset, found,
           "as many as the archive says: " + counted(*claimed_bytes, "byte") +
               " with the header's " + std::to_string(layout.offset));
  }
}

}  // namespace

Array inflate_array(Inflater& inflater, const HeaderFormat& format, const std::string& source,
                    std::optional<std::uint64_t> claimed_bytes) {
  std::vector<std::byte> head(std::min<std::uint64_t>(format.most_bytes, inflater.most_bytes()));
  head.resize(inflater.read(head));
  const Layout layout = format.read(head, source);
  require_possible(layout, inflater, source, claimed_bytes);

  const std::shared_ptr<std::byte> elements = make_buffer(layout.bytes, source);
  const auto begin = std::span(head).subspan(layout.offset);
  const std::uint64_t known = std::min<std::uint64_t>(begin.size(), layout.bytes);
  std::copy_n(begin.begin(), known, elements.get());
  const std::uint64_t present =
      known + inflater.read({elements.get() + known, layout.bytes - known});
  std::byte more{};
  const bool has_more = begin.size() > known || inflater.read({&more, 1}) > 0;
  if (has_more || present < layout.bytes) {
    refuse(source, layout.offset,
           (has_more ? "more than " : "") + counted(present, "byte") + " of elements",
           counted(layout.bytes, "byte") + ", as the header says");
  }
  return array_of(layout, elements, source);
}

}  // namespace runahead::array_files
