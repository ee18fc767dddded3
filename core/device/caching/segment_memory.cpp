#include "core/device/caching/segment_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

namespace runahead::device::caching {
namespace {

#ifndef MADV_POPULATE_WRITE
constexpr int MADV_POPULATE_WRITE = 23;  // Linux 5.14.
#endif

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

/// Makes memory resident; on older systems it becomes so when first written.
void populate(void* memory, std::uint64_t bytes) noexcept {
  static_cast<void>(madvise(memory, bytes, MADV_POPULATE_WRITE));
}

void* pages(std::uintptr_t address) noexcept {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

class HostSegment final : public SegmentMemory {
 public:
  using SegmentMemory::SegmentMemory;
  ~HostSegment() override { munmap(pages(address()), bytes()); }
  HostSegment(const HostSegment&) = delete;
  HostSegment& operator=(const HostSegment&) = delete;

  [[nodiscard]] bool map(std::uintptr_t address, std::uint64_t bytes) noexcept override {
    if (mprotect(pages(address), bytes, PROT_READ | PROT_WRITE) != 0) return false;
    populate(pages(address), bytes);
    return true;
  }
  void unmap(std::uintptr_t address, std::uint64_t bytes) noexcept override {
    madvise(pages(address), bytes, MADV_DONTNEED);
    mprotect(pages(address), bytes, PROT_NONE);
  }
};

std::shared_ptr<SegmentMemory> map_pages(std::uint64_t bytes, int protection, int flags) {
  void* const memory = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  return std::make_shared<HostSegment>(reinterpret_cast<std::uintptr_t>(memory), bytes);
}

}  // namespace

std::shared_ptr<SegmentMemory> HostSegments::make(std::uint64_t bytes) {
  auto segment = map_pages(bytes, PROT_READ | PROT_WRITE, 0);
  if (segment != nullptr) populate(pages(segment->address()), bytes);
  return segment;
}

std::shared_ptr<SegmentMemory> HostSegments::reserve(std::uint64_t bytes) {
  return map_pages(bytes, PROT_NONE, MAP_NORESERVE);
}

std::uint64_t HostSegments::total_bytes() const noexcept {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * page_bytes();
}

}  // namespace runahead::device::caching
