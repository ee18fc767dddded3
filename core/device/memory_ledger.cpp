#include "core/device/memory_ledger.h"

namespace runahead::device {
namespace {

bool is_live(MemoryUse use) { return use == MemoryUse::kAllocated || use == MemoryUse::kFreed; }

bool has_memory(MemoryUse use) { return is_live(use) || use == MemoryUse::kHeld; }

}  // namespace

void MemoryLedger::move(MemoryUse from, MemoryUse to, const MemoryPiece& piece) noexcept {
  if (from == to) return;
  const std::uint64_t bytes = piece.bytes;
  leave(from, bytes, piece.requested_bytes);
  if (is_live(from) && !is_live(to)) live.subtract(bytes);
  if (to == MemoryUse::kNone) claimed.subtract(bytes);
  if (from == MemoryUse::kNone) claimed.add(bytes);
  if (is_live(to) && !is_live(from)) {
    live.add(bytes);
    if (idle.count.current() != 0) {
      reserved_.raise_to(reserved_bytes());
      segments_.raise_to(segments());
    }
  }
  if (has_memory(from) && !has_memory(to)) parts_.subtract(place_of(piece.tensor_class), bytes);
  if (has_memory(to) && !has_memory(from)) parts_.add(place_of(piece.tensor_class), bytes);
  enter(to, bytes, piece.requested_bytes);
}

void MemoryLedger::hold(std::uint64_t bytes, TensorClass tensor_class) noexcept {
  held.add(bytes);
  claimed.add(bytes);
  parts_.add(place_of(tensor_class), bytes);
}

void MemoryLedger::let_go(std::uint64_t bytes, TensorClass tensor_class) noexcept {
  held.subtract(bytes);
  claimed.subtract(bytes);
  parts_.subtract(place_of(tensor_class), bytes);
}

void MemoryLedger::leave(MemoryUse use, std::uint64_t bytes,
                         std::uint64_t requested_bytes) noexcept {
  switch (use) {
    case MemoryUse::kNone:
      return;
    case MemoryUse::kPromised:
      return promised.subtract(bytes);
    case MemoryUse::kAllocated:
      requested.subtract(requested_bytes);
      return allocated.subtract(bytes);
    case MemoryUse::kFreed:
      return freed.subtract(bytes);
    case MemoryUse::kHeld:
      return held.subtract(bytes);
  }
}

void MemoryLedger::enter(MemoryUse use, std::uint64_t bytes,
                         std::uint64_t requested_bytes) noexcept {
  switch (use) {
    case MemoryUse::kNone:
      return;
    case MemoryUse::kPromised:
      return promised.add(bytes);
    case MemoryUse::kAllocated:
      requested.add(requested_bytes);
      return allocated.add(bytes);
    case MemoryUse::kFreed:
      return freed.add(bytes);
    case MemoryUse::kHeld:
      return held.add(bytes);
  }
}

void MemoryLedger::reset_peaks() noexcept {
  for (MemoryTally* tally : {&allocated, &idle, &live}) tally->reset_peak();
  for (PeakCounter* counter : {&promised, &requested, &freed, &held, &claimed}) {
    counter->reset_peak();
  }
  reserved_.reset(reserved_bytes());
  segments_.reset(segments());
}

void MemoryLedger::ReservedPeak::raise_to(std::uint64_t reserved) noexcept {
  std::uint64_t most = most_.load(std::memory_order_relaxed);
  while (reserved > most &&
         !most_.compare_exchange_weak(most, reserved, std::memory_order_relaxed)) {
  }
}

}  // namespace runahead::device
