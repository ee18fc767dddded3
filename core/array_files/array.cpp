#include "core/array_files/array.h"

#include <array>

namespace runahead::array_files {

std::size_t size_of(ElementType type) {
  constexpr std::array<std::size_t, 10> kSizes{1, 1, 1, 2, 4, 8, 2, 2, 4, 8};
  return kSizes.at(static_cast<std::size_t>(type));
}

std::uint64_t Array::bytes() const {
  std::uint64_t bytes = size_of(type);
  for (const std::int64_t size : shape) bytes *= static_cast<std::uint64_t>(size);
  return bytes;
}

}  // namespace runahead::array_files
