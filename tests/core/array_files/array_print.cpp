// Prints an array of a file for the tests in Python: type, shape and elements, as `array_print FILE
// NAME`.
#include <cstdio>

#include "core/array_files/array_file.h"
#include "core/base/error.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    const auto array = runahead::array_files::read_array(argv[1], argv[2]);
    std::printf("%d", static_cast<int>(array.type));
    for (const auto size : array.shape) std::printf(" %lld", static_cast<long long>(size));
    std::printf("\n");
    for (std::uint64_t i = 0; i < array.bytes(); ++i) {
      std::printf("%02x", std::to_integer<unsigned>(array.data.get()[i]));
    }
  } catch (const runahead::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
