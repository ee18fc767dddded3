#include "core/memory/heap.h"

#include <dlfcn.h>
#include <malloc.h>

#include <algorithm>
#include <climits>
#include <string_view>

#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

#include "core/base/sanitizers.h"

namespace runahead::memory {
namespace {

#if defined(__GLIBC__)
/// False if another allocator was preloaded.
bool malloc_is_glibc() {
  Dl_info malloc_at{};
  Dl_info libc_at{};
  return dladdr(dlsym(RTLD_DEFAULT, "malloc"), &malloc_at) != 0 &&
         dladdr(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"), &libc_at) != 0 &&
         malloc_at.dli_fbase == libc_at.dli_fbase;
}

std::string set_option(int option, std::string_view name, int value) {
  const bool is_set = mallopt(option, value) == 1;
  return ", " + std::string(name) + " " + (is_set ? std::to_string(value) : "refused");
}
#else
bool malloc_is_glibc() { return false; }
#endif

}  // namespace

std::unique_ptr<Probe> make_heap_probe() {
  const bool is_readable = !kHasSanitizer && malloc_is_glibc();
  return std::make_unique<FunctionProbe>(
      std::vector<Column>{"heap_in_use_bytes", "heap_free_bytes"},
      [is_readable]([[maybe_unused]] std::span<Reading> readings) {
        if (!is_readable) return;
#if defined(__GLIBC__)
        const auto heap = ::mallinfo2();
        readings[0] = heap.uordblks;
        readings[1] = heap.fordblks;
#endif
      });
}

void trim_heap() noexcept {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

std::string configure_malloc(std::size_t threshold_bytes) {
  if (kHasSanitizer) return "sanitizer";
#if defined(__GLIBC__)
  if (!malloc_is_glibc()) return "not glibc";
  const int value = static_cast<int>(std::min<std::size_t>(threshold_bytes, INT_MAX));
  return "glibc " + std::string(gnu_get_libc_version()) +
         set_option(M_MMAP_THRESHOLD, "M_MMAP_THRESHOLD", value) +
         set_option(M_TRIM_THRESHOLD, "M_TRIM_THRESHOLD", value);
#else
  return "not glibc";
#endif
}

}  // namespace runahead::memory
