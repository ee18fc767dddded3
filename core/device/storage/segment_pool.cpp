#include "core/device/storage/segment_pool.h"

#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <new>
#include <utility>

#include "core/device/storage/block.h"
#include "core/device/storage/warm_memory.h"

namespace runahead::device {
namespace {

constexpr std::uint64_t kMostSlackShare = 8;
constexpr std::uint64_t kMostOverMostInUse = 2;

std::uint64_t rounded_up(std::uint64_t bytes) {
  return (bytes + SegmentPool::kRounding - 1) / SegmentPool::kRounding * SegmentPool::kRounding;
}

}  // namespace

Segment::Segment(SegmentPool& pool, c10::DataPtr memory, std::uint64_t bytes)
    : pool_(pool),
      memory_(std::move(memory)),
      bytes_(bytes),
      untouched_class_(pool.ledger_.present_class.get()) {
  pool_.ledger_.add_untouched(*untouched_class_.load(), bytes_);
}

Segment::~Segment() { touch(); }

void Segment::release(Block& user) noexcept { pool_.release(shared_from_this(), user); }

void Segment::leave(Block& user) noexcept { pool_.leave(*this, user); }

void Segment::touch() noexcept {
  if (!untouched_class_.load(std::memory_order_relaxed)) return;
  const auto before = untouched_class_.exchange(std::nullopt);
  if (before) pool_.ledger_.subtract_untouched(*before, bytes_);
}

void Segment::set_class(TensorClass tensor_class) noexcept {
  auto before = untouched_class_.load(std::memory_order_relaxed);
  if (!before) return;
  MemoryLedger& ledger = pool_.ledger_;
  ledger.add_untouched(tensor_class, bytes_);  // First: a concurrent touch() may subtract it.
  while (before && !untouched_class_.compare_exchange_weak(before, tensor_class)) {
  }
  ledger.subtract_untouched(before.value_or(tensor_class), bytes_);
}

MemoryLease SegmentPool::take(std::uint64_t bytes) {
  const std::uint64_t rounded = rounded_up(bytes);
  {
    Segments returned;  // Outlives the lock: returning memory takes a while.
    const std::lock_guard lock(mutex_);
    if (const auto kept = find_kept(rounded); kept != kept_.end()) return reuse(kept);
    returned = take_beyond_bound(rounded);
  }
  auto segment = std::make_shared<Segment>(*this, allocate(rounded), rounded);
  const std::lock_guard lock(mutex_);
  total_bytes_ += rounded;
  in_use_bytes_ += rounded;
  most_in_use_bytes_ = std::max(most_in_use_bytes_, in_use_bytes_);
  return {.memory = std::move(segment)};
}

SegmentPool::Segments::iterator SegmentPool::find_kept(std::uint64_t rounded_bytes) {
  const auto kept = kept_.lower_bound(rounded_bytes);
  const bool fits =
      kept != kept_.end() && kept->first - rounded_bytes <= rounded_bytes / kMostSlackShare;
  return fits ? kept : kept_.end();
}

std::uint64_t SegmentPool::bytes_to_commit(std::uint64_t bytes) {
  const std::uint64_t rounded = rounded_up(bytes);
  const std::lock_guard lock(mutex_);
  const auto kept = find_kept(rounded);
  if (kept == kept_.end()) return rounded;
  return kept->second->last_user_ == nullptr ? kept->first : 0;
}

MemoryLease SegmentPool::reuse(Segments::iterator kept) {
  const std::shared_ptr<Segment> reused = std::move(kept->second);
  kept_.erase(kept);
  Segment& segment = *reused;
  MemoryLease lease{.memory = reused};
  segment.is_kept_ = false;
  segment.set_class(ledger_.present_class.get());
  in_use_bytes_ += segment.bytes_;
  most_in_use_bytes_ = std::max(most_in_use_bytes_, in_use_bytes_);
  ledger_.reused.add(segment.bytes_);
  Block* const last = std::exchange(segment.last_user_, nullptr);
  if (last == nullptr) {
    ledger_.idle.subtract(segment.bytes_);
  } else {
    // Null if it is just being destroyed: then its operations have finished.
    if (auto living = engine::VariablePtr::of_living(*last)) {
      lease.predecessors.push_back(std::move(living));
    }
    lease.is_committed = last->is_committed_.exchange(false);
    last->count_as(MemoryUse::kNone);
  }
  return lease;
}

SegmentPool::Segments SegmentPool::take_beyond_bound(std::uint64_t new_bytes) noexcept {
  const std::uint64_t bound =
      kMostOverMostInUse * std::max(most_in_use_bytes_, in_use_bytes_ + new_bytes);
  const std::uint64_t wanted = total_bytes_ + new_bytes;
  return wanted > bound ? take_idle(wanted - bound) : Segments();
}

SegmentPool::Segments SegmentPool::take_idle(std::uint64_t most_bytes) noexcept {
  Segments idle;
  std::uint64_t taken_bytes = 0;
  auto next = kept_.end();
  while (next != kept_.begin() && taken_bytes < most_bytes) {
    const auto candidate = std::prev(next);
    Segment& segment = *candidate->second;
    if (segment.last_user_ != nullptr) {
      next = candidate;
      continue;
    }
    segment.is_kept_ = false;
    taken_bytes += segment.bytes_;
    ledger_.idle.subtract(segment.bytes_);
    idle.insert(kept_.extract(candidate));
  }
  total_bytes_ -= taken_bytes;
  return idle;
}

c10::DataPtr SegmentPool::allocate(std::uint64_t bytes) {
  try {
    return c10::GetCPUAllocator()->allocate(bytes);
  } catch (const c10::Error&) {
    ledger_.retries.fetch_add(1, std::memory_order_relaxed);
    empty();
  }
  return allocate_host_memory(bytes, ledger_);
}

void SegmentPool::release(const std::shared_ptr<Segment>& segment, Block& user) noexcept {
  // Outlives the lock, which a block's destructor takes.
  const Predecessors predecessors = user.take_predecessors();
  Block* const predecessor =
      predecessors.empty() ? nullptr : static_cast<Block*>(predecessors.front().get());
  const std::lock_guard lock(mutex_);
  in_use_bytes_ -= segment->bytes_;
  keep(segment);
  // If no operation has written `user`, others must still wait for its predecessor.
  Block* last = &user;
  if (predecessor != nullptr) {
    last = predecessor;
    user.count_as(MemoryUse::kNone);
    last->is_committed_.store(user.is_committed_.exchange(false));
  }
  if (!last->is_unique()) {
    if (predecessor != nullptr) ledger_.reused.add(segment->bytes_);
    segment->last_user_ = last;
    last->count_as(MemoryUse::kFreed);
    return;
  }
  last->count_as(MemoryUse::kNone);
  last->free_committed();
  if (segment->is_kept_) ledger_.idle.add(segment->bytes_);
}

void SegmentPool::keep(const std::shared_ptr<Segment>& segment) noexcept {
  try {
    if (is_keeping_) kept_.emplace(segment->bytes_, segment);
    segment->is_kept_ = is_keeping_;
  } catch (const std::bad_alloc&) {
    // Not kept: it is freed with its last user.
  }
  if (!segment->is_kept_) total_bytes_ -= segment->bytes_;
}

void SegmentPool::leave(Segment& segment, Block& user) noexcept {
  const std::lock_guard lock(mutex_);
  user.count_as(MemoryUse::kNone);
  user.free_committed();
  if (segment.last_user_ != &user) return;
  segment.last_user_ = nullptr;
  if (segment.is_kept_) ledger_.idle.add(segment.bytes_);
}

void SegmentPool::set_keeping(bool is_keeping) noexcept {
  Segments dropped;  // Outlives the lock.
  const std::lock_guard lock(mutex_);
  if (is_keeping && !is_keeping_) most_in_use_bytes_ = in_use_bytes_;
  is_keeping_ = is_keeping;
  if (is_keeping) return;
  for (const auto& [bytes, segment] : kept_) {
    if (segment->last_user_ == nullptr) ledger_.idle.subtract(bytes);
    segment->is_kept_ = false;
    total_bytes_ -= bytes;
  }
  dropped.swap(kept_);
}

void SegmentPool::empty() noexcept {
  Segments returned;  // Outlives the lock: returning memory takes a while.
  const std::lock_guard lock(mutex_);
  returned = take_idle(std::numeric_limits<std::uint64_t>::max());
}

}  // namespace runahead::device
