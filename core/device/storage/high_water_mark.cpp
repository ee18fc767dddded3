#include "core/device/storage/high_water_mark.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

namespace runahead::device {
namespace {

std::int64_t signed_bytes(std::uint64_t bytes) { return static_cast<std::int64_t>(bytes); }

std::uint64_t unsigned_bytes(std::int64_t bytes) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0));
}

}  // namespace

HighWaterMark::HighWaterMark() : changes_(kLeastCapacity), chunks_(kLeastCapacity / kChunk) {}

std::uint64_t HighWaterMark::reserve(std::uint64_t sequence, std::uint64_t oldest) {
  const std::lock_guard lock(lock_);
  settle(oldest);
  // Half of the ring stays free, so that growing is rare and its ends never meet in one chunk.
  while (sequence - first_ >= changes_.size() / 2) grow();
  return first_ + changes_.size() - 2 * kChunk;
}

void HighWaterMark::grow() {
  std::vector<std::int64_t> changes(2 * changes_.size());
  std::vector<Chunk> chunks(changes.size() / kChunk);
  const std::uint64_t next = next_.load(std::memory_order_relaxed);
  for (std::uint64_t sequence = first_; sequence <= next; ++sequence) {
    changes[sequence & (changes.size() - 1)] = changes_[slot_of(sequence)];
  }
  changes_ = std::move(changes);
  chunks_ = std::move(chunks);
}

void HighWaterMark::change(std::uint64_t sequence, std::int64_t bytes) noexcept {
  const std::size_t slot = slot_of(sequence);
  changes_[slot] += bytes;
  chunks_[slot / kChunk].is_current = false;
}

void HighWaterMark::push(std::uint64_t sequence, std::uint64_t bytes) noexcept {
  next_.store(sequence + 1, std::memory_order_relaxed);
  if (bytes == 0) return;
  const std::lock_guard lock(lock_);
  change(sequence, signed_bytes(bytes));
  end_ += signed_bytes(bytes);
  // No earlier level exceeds the previous mark.
  mark_ = std::max(mark_, end_);
  peak_ = std::max(peak_, end_);
}

void HighWaterMark::add_now(std::uint64_t bytes, std::uint64_t oldest) noexcept {
  const std::lock_guard lock(lock_);
  settled_ += signed_bytes(bytes);
  end_ += signed_bytes(bytes);
  mark_ += signed_bytes(bytes);
  if (!is_keeping_peak_ || mark_ <= peak_) return;
  find_mark(oldest);
  peak_ = std::max(peak_, mark_);
}

void HighWaterMark::release(std::uint64_t bytes, std::uint64_t last_use) noexcept {
  const std::lock_guard lock(lock_);
  end_ -= signed_bytes(bytes);
  if (last_use + 1 >= first_ && last_use < next_.load(std::memory_order_relaxed)) {
    change(last_use + 1, -signed_bytes(bytes));
  } else {
    settled_ -= signed_bytes(bytes);
    mark_ -= signed_bytes(bytes);
  }
}

void HighWaterMark::settle(std::uint64_t oldest) const noexcept {
  const std::uint64_t end = std::min(oldest, next_.load(std::memory_order_relaxed));
  for (; first_ < end; ++first_) {
    const std::size_t slot = slot_of(first_);
    settled_ += std::exchange(changes_[slot], 0);
    chunks_[slot / kChunk].is_current = false;
  }
}

void HighWaterMark::find_mark(std::uint64_t oldest) const noexcept {
  settle(oldest);
  std::int64_t level = settled_;
  std::int64_t highest = std::numeric_limits<std::int64_t>::min();
  std::uint64_t sequence = first_;
  const std::uint64_t next = next_.load(std::memory_order_relaxed);
  // Settled changes of the first chunk no longer form levels.
  for (; sequence <= next && (sequence == first_ || sequence % kChunk != 0); ++sequence) {
    level += changes_[slot_of(sequence)];
    highest = std::max(highest, level);
  }
  for (; sequence <= next; sequence += kChunk) {
    const std::size_t chunk = slot_of(sequence) / kChunk;
    if (!chunks_[chunk].is_current) renew(chunk);
    highest = std::max(highest, level + chunks_[chunk].highest);
    level += chunks_[chunk].sum;
  }
  mark_ = highest;
}

void HighWaterMark::renew(std::size_t chunk) const noexcept {
  Chunk renewed{.sum = 0, .highest = std::numeric_limits<std::int64_t>::min(), .is_current = true};
  for (std::size_t slot = chunk * kChunk; slot < (chunk + 1) * kChunk; ++slot) {
    renewed.sum += changes_[slot];
    renewed.highest = std::max(renewed.highest, renewed.sum);
  }
  chunks_[chunk] = renewed;
}

std::uint64_t HighWaterMark::bytes(std::uint64_t oldest) const noexcept {
  const std::lock_guard lock(lock_);
  find_mark(oldest);
  return unsigned_bytes(mark_);
}

bool HighWaterMark::is_within(std::uint64_t limit_bytes, const engine::Claim& claim,
                              std::uint64_t oldest) const noexcept {
  const std::lock_guard lock(lock_);
  if (unsigned_bytes(end_) + claim.bytes > limit_bytes) return false;
  // Memory added now raises every level, an operation's results only the last one.
  const std::uint64_t beside_mark = claim.is_now ? claim.bytes : 0;
  if (unsigned_bytes(mark_) + beside_mark <= limit_bytes) return true;
  find_mark(oldest);
  return unsigned_bytes(mark_) + beside_mark <= limit_bytes;
}

std::uint64_t HighWaterMark::end_bytes() const noexcept {
  const std::lock_guard lock(lock_);
  return unsigned_bytes(end_);
}

std::uint64_t HighWaterMark::peak_bytes() const noexcept {
  const std::lock_guard lock(lock_);
  return unsigned_bytes(peak_);
}

void HighWaterMark::reset_peak() noexcept {
  const std::lock_guard lock(lock_);
  find_mark(first_);
  peak_ = mark_;
}

void HighWaterMark::set_keeping_peak(bool is_keeping) noexcept {
  const std::lock_guard lock(lock_);
  is_keeping_peak_ = is_keeping;
}

void HighWaterMark::restart() noexcept {
  const std::lock_guard lock(lock_);
  std::fill(changes_.begin(), changes_.end(), 0);
  std::fill(chunks_.begin(), chunks_.end(), Chunk());
  first_ = 1;
  next_.store(1, std::memory_order_relaxed);
  settled_ = mark_ = end_;
}

std::uint64_t HighWaterMark::bookkeeping_bytes() const noexcept {
  const std::lock_guard lock(lock_);
  return changes_.size() * sizeof(std::int64_t) + chunks_.size() * sizeof(Chunk);
}

}  // namespace runahead::device
