// A file of arrays, behind a byte that chooses the name that is asked for: read from memory and
// mapped.

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

struct Outcome {
  Array array{};
  std::string refusal{};  ///< Without what it calls the file.
};

template <typename Read>
Outcome outcome_of(const std::string& source, const Read& read) {
  Outcome outcome;
  outcome.refusal = refusal_of<ConfigError>([&] { outcome.array = read(); });
  if (outcome.refusal.empty()) return outcome;
  require(outcome.refusal.starts_with(source + ": "), "an error does not name the file");
  outcome.refusal.erase(0, source.size());
  return outcome;
}

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

void read_both_ways(std::string_view content, const std::string& name) {
  const MemoryFile file(content);
  const Outcome copied = outcome_of("fuzz", [&] {
    return array_files::read_array(std::as_bytes(std::span(content)), "fuzz", name);
  });
  const Outcome mapped =
      outcome_of(file.path(), [&] { return array_files::read_array(file.path(), name); });
  require(copied.refusal == mapped.refusal, "only one way of reading a file refuses it");
  if (!copied.refusal.empty()) return;
  check_array(copied.array, content.size());
  check_array(mapped.array, content.size());
  require(copied.array.type == mapped.array.type && copied.array.shape == mapped.array.shape &&
              elements_of(copied.array) == elements_of(mapped.array),
          "two ways of reading a file give two arrays");
}

}  // namespace
}  // namespace runahead::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace runahead;
  if (size < 2) return 0;  // An empty file cannot be mapped.
  const std::array<std::string, 3> names{"", "a", "images"};
  fuzz::read_both_ways(fuzz::input_text(data, size).substr(1), names.at(data[0] % names.size()));
  return 0;
}
