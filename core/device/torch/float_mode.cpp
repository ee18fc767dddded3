#include "core/device/torch/float_mode.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace runahead::device {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kFlags = _MM_FLUSH_ZERO_MASK | 0x40U;  // 0x40: subnormal inputs are zeros.

std::uint32_t read_flags() noexcept { return _mm_getcsr() & kFlags; }
void write_flags(std::uint32_t flags) noexcept { _mm_setcsr((_mm_getcsr() & ~kFlags) | flags); }
#else
std::uint32_t read_flags() noexcept { return 0; }
void write_flags(std::uint32_t /*flags*/) noexcept {}
#endif

}  // namespace

FloatMode FloatMode::current() noexcept { return FloatMode(read_flags()); }

FloatModeScope::FloatModeScope(FloatMode mode) noexcept : before_(FloatMode::current()) {
  write_flags(mode.flags_);
}

FloatModeScope::~FloatModeScope() { write_flags(before_.flags_); }

}  // namespace runahead::device
