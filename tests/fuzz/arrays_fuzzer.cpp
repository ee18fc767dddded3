// A file of arrays, behind a byte that chooses the name that is asked for.

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "core/array_files/array_file.h"
#include "core/base/error.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/memory_file.h"

namespace runahead::fuzz {
namespace {

using array_files::Array;
using array_files::ElementType;

/// A compressed byte inflates to at most so many.
constexpr std::uint64_t kMostRatio = 1032;

std::vector<unsigned char> elements_of(const Array& array) {
  std::vector<unsigned char> elements(array.bytes());
  if (!elements.empty()) std::memcpy(elements.data(), array.data.get(), elements.size());
  return elements;
}

void check_array(const Array& array, std::size_t content_bytes) {
  require(array.shape.size() <= 32, "an array has more dimensions than are allowed");
  std::uint64_t count = 1;
  for (const std::int64_t size : array.shape) {
    require(size >= 0, "a size is negative");
    require(size == 0 || count <= UINT64_MAX / static_cast<std::uint64_t>(size),
            "the number of elements overflows");
    count *= static_cast<std::uint64_t>(size);
  }
  require(array.bytes() <= content_bytes * kMostRatio, "an array is larger than its file allows");
  require(array.data != nullptr, "an array has no memory");
  require(reinterpret_cast<std::uintptr_t>(array.data.get()) % size_of(array.type) == 0,
          "elements are not aligned");
  if (array.type != ElementType::kBool) return;
  for (const unsigned char value : elements_of(array)) require(value <= 1, "a bool is not one");
}

void read(std::string_view content, const std::string& name) {
  const MemoryFile file(content);
  const std::string refusal = refusal_of<ConfigError>(
      [&] { check_array(array_files::read_array(file.path(), name), content.size()); });
  require(refusal.empty() || refusal.starts_with(file.path().string() + ": "),
          "an error does not name the file");
}

}  // namespace
}  // namespace runahead::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace runahead;
  if (size < 2) return 0;  // An empty file cannot be mapped.
  const std::array<std::string, 3> names{"", "a", "images"};
  fuzz::read(fuzz::input_text(data, size).substr(1), names.at(data[0] % names.size()));
  return 0;
}
