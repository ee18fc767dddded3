#include "core/device/storage/memory_ledger.h"

#include <algorithm>

namespace runahead::device {
namespace {

bool is_live(MemoryUse use) { return use == MemoryUse::kAllocated || use == MemoryUse::kFreed; }

bool has_memory(MemoryUse use) { return is_live(use) || use == MemoryUse::kHeld; }

/// Calls `change(counter, bytes)` for what counts a piece of that use.
template <typename Change>
void for_each_counter(MemoryLedger& ledger, MemoryUse use, const MemoryPiece& piece,
                      const Change& change) noexcept {
  switch (use) {
    case MemoryUse::kNone:
      return;
    case MemoryUse::kPromised:
      return change(ledger.promised, piece.bytes);
    case MemoryUse::kAllocated:
      change(ledger.requested, piece.requested_bytes);
      return change(ledger.allocated, piece.bytes);
    case MemoryUse::kFreed:
      return change(ledger.freed, piece.bytes);
    case MemoryUse::kHeld:
      return change(ledger.held, piece.bytes);
  }
}

}  // namespace

void MemoryLedger::move(MemoryUse from, MemoryUse to, const MemoryPiece& piece) noexcept {
  if (from == to) return;
  const std::uint64_t bytes = piece.bytes;
  for_each_counter(*this, from, piece,
                   [](auto& counter, std::uint64_t of) { counter.subtract(of); });
  if (is_live(from) && !is_live(to)) live.subtract(bytes);
  if (is_live(to) && !is_live(from)) {
    live.add(bytes);
    if (idle.bytes.current() != 0) {
      reserved_.raise_to(reserved_bytes());
      segments_.raise_to(segments());
    }
  }
  if (has_memory(from) && !has_memory(to)) vacate(bytes, piece.tensor_class);
  if (has_memory(to) && !has_memory(from)) occupy(bytes, piece.tensor_class);
  for_each_counter(*this, to, piece, [](auto& counter, std::uint64_t of) { counter.add(of); });
}

void MemoryLedger::hold(std::uint64_t bytes, TensorClass tensor_class) noexcept {
  held.add(bytes);
  held_outside_blocks_.fetch_add(bytes, std::memory_order_relaxed);
  occupy(bytes, tensor_class);
}

void MemoryLedger::let_go(std::uint64_t bytes, TensorClass tensor_class) noexcept {
  held.subtract(bytes);
  held_outside_blocks_.fetch_sub(bytes, std::memory_order_relaxed);
  vacate(bytes, tensor_class);
}

void MemoryLedger::occupy(std::uint64_t bytes, TensorClass tensor_class) noexcept {
  occupied.add(bytes);
  parts_.add(place_of(tensor_class), bytes);
}

void MemoryLedger::vacate(std::uint64_t bytes, TensorClass tensor_class) noexcept {
  occupied.subtract(bytes);
  parts_.subtract(place_of(tensor_class), bytes);
}

void MemoryLedger::commit(std::uint64_t sequence, std::uint64_t cost_bytes) noexcept {
  if (cost_bytes != 0) claimed.add(cost_bytes);
  mark_.push(sequence, cost_bytes);
}

void MemoryLedger::commit_now(std::uint64_t bytes, std::uint64_t oldest) noexcept {
  claimed.add(bytes);
  mark_.add_now(bytes, oldest);
}

std::uint64_t MemoryLedger::committed_bytes(std::uint64_t oldest) const noexcept {
  return predicts_ ? mark_.bytes(oldest) : claimed.current();
}

bool MemoryLedger::is_within(std::uint64_t limit_bytes, const engine::Claim& claim,
                             std::uint64_t oldest) const noexcept {
  // The mark exceeds `claimed` for a moment at most.
  if (claim.bytes <= limit_bytes && !claimed.is_above(limit_bytes - claim.bytes)) return true;
  return predicts_ && mark_.is_within(limit_bytes, claim, oldest);
}

std::uint64_t MemoryLedger::backlog_bytes(std::uint64_t oldest) const noexcept {
  const std::uint64_t committed = committed_bytes(oldest);
  // The mark includes these until operations release them.
  const std::uint64_t outside = held_outside_blocks_.load(std::memory_order_relaxed);
  const std::uint64_t end = mark_.end_bytes();
  return committed - std::min(committed, end - std::min(end, outside));
}

bool MemoryLedger::is_backlog_above(std::uint64_t bytes, std::uint64_t oldest) const noexcept {
  return claimed.is_above(bytes) && backlog_bytes(oldest) > bytes;
}

void MemoryLedger::restart(bool predicts) noexcept {
  predicts_ = predicts;
  mark_.set_keeping_peak(predicts);
  mark_.restart();
}

void MemoryLedger::reset_peaks() noexcept {
  for (MemoryTally* tally : {&allocated, &idle, &live}) tally->reset_peak();
  for (PeakCounter* counter : {&promised, &requested, &freed, &held, &occupied, &claimed}) {
    counter->reset_peak();
  }
  mark_.reset_peak();
  reserved_.reset(reserved_bytes());
  segments_.reset(segments());
}

void MemoryLedger::add_idle(std::uint64_t bytes) noexcept {
  idle.add(bytes);
  reserved_.raise_to(reserved_bytes());
  segments_.raise_to(segments());
}

void MemoryLedger::ReservedPeak::raise_to(std::uint64_t reserved) noexcept {
  std::uint64_t most = most_.load(std::memory_order_relaxed);
  while (reserved > most &&
         !most_.compare_exchange_weak(most, reserved, std::memory_order_relaxed)) {
  }
}

}  // namespace runahead::device
