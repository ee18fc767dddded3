#include "core/engine/recycler.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace runahead::engine {
namespace {

constexpr std::size_t kCacheLine = 64;

// Prefetches a cache line for writing.
void call_for_line(const std::byte* address) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*address));
#else
  __builtin_prefetch(address, 1);
#endif
}

}  // namespace

Recycler::Recycler(std::size_t object_bytes, std::size_t capacity)
    : object_bytes_(object_bytes),
      capacity_(capacity),
      taken_over_(std::make_unique<void*[]>(capacity)),
      given_back_(std::make_unique<void*[]>(capacity)) {}

void* Recycler::take() noexcept {
  if (next_ == taken_over_count_) {
    if (calls_to_skip_ > 0) {
      --calls_to_skip_;
      return nullptr;
    }
    const std::lock_guard lock(giving_lock_);
    std::swap(taken_over_, given_back_);
    taken_over_count_ = std::exchange(given_back_count_, 0);
    next_ = 0;
    calls_to_skip_ = kWorthwhile - std::min(kWorthwhile, taken_over_count_);
  }
  if (taken_over_count_ == 0) return nullptr;
  if (next_ == 0) {
    const std::size_t first_few = std::min(kAhead, taken_over_count_);
    for (std::size_t i = 0; i < first_few; ++i) call_for(taken_over_[i]);
  }
  if (next_ + kAhead < taken_over_count_) call_for(taken_over_[next_ + kAhead]);
  return taken_over_[next_++];
}

bool Recycler::give_back(void* object) noexcept {
  const std::lock_guard lock(giving_lock_);
  if (given_back_count_ == capacity_) return false;
  given_back_[given_back_count_++] = object;
  return true;
}

std::size_t Recycler::spare_count() noexcept {
  const std::lock_guard lock(giving_lock_);
  return given_back_count_;
}

void Recycler::call_for(const void* object) const noexcept {
  const auto* line = static_cast<const std::byte*>(object);
  for (const std::byte* end = line + object_bytes_; line < end; line += kCacheLine) {
    call_for_line(line);
  }
}

}  // namespace runahead::engine
