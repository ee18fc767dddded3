// A file of arrays, damaged in any way: it is read, or refused with its place. The first byte says
// which array of the file is asked for.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/array_files/array_file.h"
#include "fuzz/fuzz_target.h"

namespace runahead::fuzz {
namespace {

constexpr const char* kNames[] = {"", "x", "a"};

/// Reads every byte, so that a sanitizer sees one that is not the array's.
unsigned sum_of(const array_files::Array& array) {
  unsigned sum = 0;
  for (std::uint64_t i = 0; i < array.bytes(); ++i) {
    sum += std::to_integer<unsigned>(array.data.get()[i]);
  }
  return sum;
}

void try_input(std::string_view input) {
  const std::string name = kNames[static_cast<unsigned char>(input.front()) % std::size(kNames)];
  const auto content = std::as_bytes(std::span(input.substr(1)));
  volatile unsigned sum = 0;
  const std::string refusal =
      refusal_of([&] { sum = sum_of(array_files::read_array(content, "file", name)); });
  require(refusal.empty() || refusal.starts_with("file"), "an error does not name its file");
}

}  // namespace
}  // namespace runahead::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0) runahead::fuzz::try_input(runahead::fuzz::input_text(data, size));
  return 0;
}
