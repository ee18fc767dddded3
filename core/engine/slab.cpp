#include "core/engine/slab.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>
#include <utility>

namespace runahead::engine {
namespace {

std::byte* map(std::size_t bytes) {
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(memory);
}

void unmap(std::byte* begin, std::size_t bytes) noexcept {
  if (bytes > 0) ::munmap(begin, bytes);
}

// Huge pages begin at multiples of their size.
std::byte* map_huge(std::size_t bytes) {
  std::byte* const mapped = map(bytes + Slab::kHugeBytes);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(mapped) % Slab::kHugeBytes;
  unmap(mapped, before);
  unmap(mapped + before + bytes, Slab::kHugeBytes - before);
  ::madvise(mapped + before, bytes, MADV_HUGEPAGE);  // If it is refused, the pages are small.
  return mapped + before;
}

}  // namespace

Slab::Slab(std::size_t bytes)
    : begin_(bytes < kHugeBytes ? map(bytes) : map_huge(bytes)), bytes_(bytes) {}

Slab::~Slab() { unmap(begin_, bytes_); }

Slab::Slab(Slab&& other) noexcept
    : begin_(std::exchange(other.begin_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      carved_bytes_(std::exchange(other.carved_bytes_, 0)) {}

Slab& Slab::operator=(Slab&& other) noexcept {
  std::swap(begin_, other.begin_);
  std::swap(bytes_, other.bytes_);
  std::swap(carved_bytes_, other.carved_bytes_);
  return *this;
}

void* Slab::carve(std::size_t bytes) noexcept {
  if (bytes_ - carved_bytes_ < bytes) return nullptr;
  return begin_ + std::exchange(carved_bytes_, carved_bytes_ + bytes);
}

}  // namespace runahead::engine
