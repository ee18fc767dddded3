#include "core/engine/object_memory.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

#include "core/base/error.h"
#include "core/base/sanitizers.h"

namespace runahead::engine {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kFirstSlabBytes = std::size_t{64} << 10;
constexpr std::size_t kSlabsBeforeHugeOnes = 5;
static_assert(kFirstSlabBytes << kSlabsBeforeHugeOnes == Slab::kHugeBytes);

// Prefetches a cache line for writing.
void call_for_line(const std::byte* address) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*address));
#else
  __builtin_prefetch(address, 1);
#endif
}

/// How many objects of a slab are spare.
struct SlabUse {
  Slab* slab = nullptr;
  std::size_t spare_count = 0;
  bool is_removed = false;

  [[nodiscard]] const std::byte* begin() const noexcept { return slab->begin(); }
};

/// @param uses  in the order of addresses.
SlabUse& use_of(const void* object, std::vector<SlabUse>& uses) noexcept {
  return *std::prev(
      std::ranges::upper_bound(uses, static_cast<const std::byte*>(object), {}, &SlabUse::begin));
}

}  // namespace

ObjectMemory::ObjectMemory(std::size_t object_bytes)
    : object_bytes_((object_bytes + kCacheLine - 1) / kCacheLine * kCacheLine) {
  RUNAHEAD_REQUIRE(object_bytes_ <= kFirstSlabBytes, "an object is larger than a slab");
}

void* ObjectMemory::take() {
  if (next_ == taken_over_.size()) take_over();
  if (next_ == taken_over_.size()) return carve();
  if (next_ + kAhead < taken_over_.size()) call_for(taken_over_[next_ + kAhead]);
  return taken_over_[next_++];
}

void ObjectMemory::take_over() noexcept {
  if (calls_to_skip_ > 0) {
    --calls_to_skip_;
    return;
  }
  taken_over_.clear();
  next_ = 0;
  std::size_t in_use = object_count_.load(std::memory_order_relaxed);
  {
    const std::lock_guard lock(giving_lock_);
    in_use -= given_back_.size();
    const auto count = static_cast<std::ptrdiff_t>(std::min(given_back_.size(), kMostTakenOver));
    taken_over_.assign(given_back_.end() - count, given_back_.end());
    given_back_.erase(given_back_.end() - count, given_back_.end());
  }
  most_in_use_ = std::max(most_in_use_, in_use);
  calls_to_skip_ = kWorthwhile - std::min(kWorthwhile, taken_over_.size());
  const std::size_t first_few = std::min(kAhead, taken_over_.size());
  for (std::size_t i = 0; i < first_few; ++i) call_for(taken_over_[i]);
}

void* ObjectMemory::carve() {
  void* object = nullptr;
  if constexpr (kHasAddressSanitizer) {  // From the C library, so that it sees the object freed.
    object = ::operator new (object_bytes_, std::align_val_t{kCacheLine});
  } else {
    make_room_for_one_more();
    if (!slabs_.empty()) object = slabs_.back().carve(object_bytes_);
    if (object == nullptr) {
      add_slab();
      object = slabs_.back().carve(object_bytes_);
    }
  }
  object_count_.fetch_add(1, std::memory_order_relaxed);
  return object;
}

void ObjectMemory::make_room_for_one_more() {
  if (object_count_.load(std::memory_order_relaxed) < room_) return;
  const std::size_t room = 2 * room_ + kWorthwhile;
  std::vector<void*> given_back;
  given_back.reserve(room);
  taken_over_.reserve(room);
  room_ = room;
  const std::lock_guard lock(giving_lock_);
  given_back.insert(given_back.end(), given_back_.begin(), given_back_.end());
  std::swap(given_back, given_back_);
}

void ObjectMemory::add_slab() {
  slabs_.emplace_back(kFirstSlabBytes << std::min(slabs_.size(), kSlabsBeforeHugeOnes));
}

void ObjectMemory::give_back(void* object) noexcept {
  if constexpr (kHasAddressSanitizer) {
    object_count_.fetch_sub(1, std::memory_order_relaxed);
    ::operator delete (object, std::align_val_t{kCacheLine});
  } else {
    const std::lock_guard lock(giving_lock_);
    given_back_.push_back(object);
  }
}

std::size_t ObjectMemory::spare_count() noexcept {
  const std::lock_guard lock(giving_lock_);
  return given_back_.size() + taken_over_.size() - next_;
}

std::vector<Slab> ObjectMemory::take_spare_slabs(TimePoint now) noexcept try {
  const std::size_t object_count = object_count_.load(std::memory_order_relaxed);
  const std::size_t spare = spare_count();
  const std::size_t in_use = object_count - spare;
  const std::size_t most_objects = std::max(most_in_use_, in_use) + kKeptSpare;
  const bool is_needed = object_count <= most_objects + kKeptSpare;
  if (!is_needed && now - needed_at_ < kKeepTime) return {};
  needed_at_ = now;
  most_in_use_ = in_use;
  const bool is_worth_it = in_use <= search_below_in_use_ || spare >= search_above_spare_;
  if (is_needed || !is_worth_it) return {};
  std::vector<Slab> removed = remove_spare_slabs(most_objects);
  const std::size_t left = object_count_.load(std::memory_order_relaxed);
  const bool is_enough = left <= most_objects + Slab::kHugeBytes / object_bytes_;
  search_below_in_use_ = is_enough ? std::numeric_limits<std::size_t>::max() : in_use / 2;
  search_above_spare_ = 2 * (left - in_use);
  return removed;
} catch (const std::bad_alloc&) {
  return {};
}

std::vector<Slab> ObjectMemory::remove_spare_slabs(std::size_t most_objects) {
  std::vector<SlabUse> uses;
  for (Slab& slab : slabs_) uses.push_back({.slab = &slab});
  std::ranges::sort(uses, {}, &SlabUse::begin);
  std::vector<Slab> removed;
  removed.reserve(uses.size());
  take_over_all();
  for (const void* const object : taken_over_) ++use_of(object, uses).spare_count;
  std::size_t left = object_count_.load(std::memory_order_relaxed);
  for (SlabUse& use : uses) {
    const auto count =
        static_cast<std::size_t>(use.slab->carved_end() - use.begin()) / object_bytes_;
    use.is_removed = use.spare_count == count && left >= most_objects + count;
    if (use.is_removed) left -= count;
  }
  std::erase_if(taken_over_,
                [&uses](const void* object) { return use_of(object, uses).is_removed; });
  for (const SlabUse& use : uses) {
    if (use.is_removed) removed.push_back(std::move(*use.slab));
  }
  std::erase_if(slabs_, [](const Slab& slab) { return slab.begin() == nullptr; });
  object_count_.store(left, std::memory_order_relaxed);
  return removed;
}

void ObjectMemory::take_over_all() noexcept {
  const std::lock_guard lock(giving_lock_);
  given_back_.insert(given_back_.end(), taken_over_.begin() + static_cast<std::ptrdiff_t>(next_),
                     taken_over_.end());
  std::swap(taken_over_, given_back_);
  given_back_.clear();
  next_ = 0;
  calls_to_skip_ = 0;
}

void ObjectMemory::call_for(const void* object) const noexcept {
  const auto* line = static_cast<const std::byte*>(object);
  for (const std::byte* end = line + object_bytes_; line < end; line += kCacheLine) {
    call_for_line(line);
  }
}

}  // namespace runahead::engine
