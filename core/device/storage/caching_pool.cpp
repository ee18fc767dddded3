#include "core/device/storage/caching_pool.h"

#include <c10/util/Exception.h>

#include <string>

#include "core/base/bytes.h"
#include "core/base/error.h"
#include "core/device/runtime.h"
#include "core/device/storage/block.h"

namespace runahead::device {

using caching::Chunk;
using caching::StreamId;

CachedMemory::CachedMemory(CachingPool& pool, Chunk& chunk)
    : pool_(pool),
      chunk_(&chunk),
      address_(chunk.address),
      bytes_(chunk.bytes),
      segment_(chunk.segment->memory) {}

void* CachedMemory::address() const noexcept {
  return reinterpret_cast<void*>(address_);  // NOLINT(performance-no-int-to-ptr)
}

void CachedMemory::release(Block& user) noexcept { pool_.release(*this, user); }

void CachedMemory::leave(Block& user) noexcept {
  if (chunk_ != nullptr) pool_.release(*this, user);
  pool_.leave(*this, user);
}

CachingPool::CachingPool(MemoryLedger& ledger)
    : ledger_(ledger),
      heap_(source_,
            {.on_events_finished = [this](const Chunk& chunk) { on_events_finished(chunk); },
             .is_in_flight =
                 [this](std::uintptr_t address, std::uint64_t bytes) {
                   return in_flight_.is_used(address, bytes);
                 }}) {
  ledger_.set_collect_free([this] { collect_free(); });
}

std::uint64_t CachingPool::bytes_to_commit(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  return caching::rounded_bytes(bytes, heap_.settings());
}

MemoryLease CachingPool::take(std::uint64_t bytes, Runtime& runtime) {
  const StreamId stream = runtime.streams.current();
  bool waits = true;
  {
    const std::lock_guard lock(mutex_);
    Chunk* const chunk = heap_.allocate(bytes, stream);
    if (chunk != nullptr) return lease(*chunk);
    waits = heap_.settings().wait_before_failing;
  }
  if (waits) runtime.finish_in_flight();
  const std::lock_guard lock(mutex_);
  Chunk* const chunk = heap_.allocate_at_last(bytes, stream);
  count_idle();
  if (chunk == nullptr) throw_out_of_memory(bytes);
  return lease(*chunk);
}

void CachingPool::throw_out_of_memory(std::uint64_t bytes) {
  ledger_.failures.fetch_add(1, std::memory_order_relaxed);
  constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  const auto allocated =
      static_cast<std::uint64_t>(heap_.statistics().allocated_bytes[kAll].current);
  const std::uint64_t pending = heap_.active_bytes() - allocated;
  const auto& capacity = heap_.settings().capacity_bytes;
  std::string text = "acpu out of memory: tried to allocate " + format_bytes(bytes);
  if (capacity) text += "; the capacity is " + format_bytes(*capacity);
  text += "; tensors have " + format_bytes(allocated) + ", " + format_bytes(pending) +
          " are freed and wait for a recorded stream, and " + format_bytes(idle_bytes_) +
          " are reserved but free";
  const bool would_fit = !capacity || bytes + allocated <= *capacity;
  const bool is_fragmented = would_fit && !heap_.settings().expandable_segments;
  throw OutOfMemoryError(text + (pending > 0 ? ". Synchronize and try again"
                                 : is_fragmented && idle_bytes_ > allocated
                                     ? ". expandable_segments:True avoids fragmentation"
                                     : ". Use less memory, or raise the capacity"));
}

MemoryLease CachingPool::lease(Chunk& chunk) {
  MemoryLease lease{.memory = std::make_shared<CachedMemory>(*this, chunk)};
  for (Block* const user : in_flight_.users(chunk.address, chunk.bytes)) {
    // Null if it is just being destroyed: then its operations have finished.
    if (auto living = engine::VariablePtr::of_living(*user)) {
      lease.predecessors.push_back(std::move(living));
    }
  }
  count_idle();
  return lease;
}

void CachingPool::give_back(const MemoryLease& lease) {
  const std::lock_guard lock(mutex_);
  free_chunk(static_cast<CachedMemory&>(*lease.memory), {});
}

void CachingPool::record_stream(BlockMemory* memory, StreamId stream) {
  auto* const cached = dynamic_cast<CachedMemory*>(memory);
  if (cached == nullptr) return;
  const std::lock_guard lock(mutex_);
  if (cached->chunk_ != nullptr) caching::CachingHeap::record_stream(*cached->chunk_, stream);
}

/// Events that cover everything issued on the recorded streams so far. They are recorded without
/// the lock, since recording may block.
CachingPool::Uses CachingPool::uses_of(CachedMemory& memory) {
  std::set<StreamId> streams;
  {
    const std::lock_guard lock(mutex_);
    streams = memory.chunk_->recorded_streams;
  }
  Uses uses;
  for (const StreamId stream : streams) {
    uses.emplace_back(stream,
                      [event = Runtime::get().record_use(stream)] { return event.is_finished(); });
  }
  return uses;
}

void CachingPool::release(CachedMemory& memory, Block& user) noexcept try {
  Uses uses = uses_of(memory);
  // Outlive the lock, which a block's destructor takes.
  const Predecessors predecessors = user.take_predecessors();
  const std::lock_guard lock(mutex_);
  free(memory, user, std::move(uses), predecessors.empty());
} catch (const std::exception&) {
  // Not freed: its remaining users could not be recorded, or are unknown.
}

void CachingPool::free(CachedMemory& memory, Block& user, Uses uses, bool is_written) {
  if (!user.is_unique()) {
    in_flight_.add(memory.address_, memory.bytes_, user, is_written);
  } else if (is_written) {
    in_flight_.clear(memory.address_, memory.bytes_);
  }
  const bool is_committed = user.is_committed_.exchange(false);
  if (!is_keeping_) uses.clear();  // No later allocation would check them.
  if (uses.empty()) {
    user.count_as(MemoryUse::kNone);
    if (is_committed) ledger_.free(memory.bytes_);
  } else {
    user.count_as(MemoryUse::kFreed);
    pending_[memory.chunk_] = {user.piece(), is_committed};
    user.use_ = MemoryUse::kNone;
  }
  free_chunk(memory, std::move(uses));
}

void CachingPool::free_chunk(CachedMemory& memory, Uses uses) {
  heap_.free(*std::exchange(memory.chunk_, nullptr), std::move(uses));
  if (!is_keeping_) heap_.release_cached();
  count_idle();
}

void CachingPool::on_events_finished(const Chunk& chunk) {
  const auto pending = pending_.extract(&chunk);
  const PendingFree& free = pending.mapped();
  ledger_.move(MemoryUse::kFreed, MemoryUse::kNone, free.piece);
  if (free.is_committed) ledger_.free(free.piece.bytes);
}

void CachingPool::leave(const CachedMemory& memory, const Block& user) noexcept {
  const std::lock_guard lock(mutex_);
  in_flight_.remove(memory.address_, memory.bytes_, user);
}

void CachingPool::start(const engine::AllocatorSettings& settings) {
  const std::lock_guard lock(mutex_);
  is_keeping_ = true;
  heap_.set_settings(settings);
}

void CachingPool::collect_free() noexcept {
  const std::lock_guard lock(mutex_);
  if (!is_keeping_) return;
  heap_.process_events();
  count_idle();
}

void CachingPool::stop() noexcept {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(is_keeping_, false)) return;
  heap_.release_cached();
  count_idle();
}

void CachingPool::empty(Runtime& runtime) {
  runtime.finish_in_flight();
  const std::lock_guard lock(mutex_);
  heap_.release_cached();
  count_idle();
}

void CachingPool::count_idle() noexcept {
  const std::uint64_t idle = heap_.reserved_bytes() - heap_.active_bytes();
  if (idle > idle_bytes_) ledger_.idle.bytes.add(idle - idle_bytes_);
  if (idle < idle_bytes_) ledger_.idle.bytes.subtract(idle_bytes_ - idle);
  idle_bytes_ = idle;
}

CachingPool::Statistics CachingPool::statistics() {
  const std::lock_guard lock(mutex_);
  return heap_.statistics();
}

void CachingPool::reset_accumulated_statistics() {
  const std::lock_guard lock(mutex_);
  heap_.reset_accumulated_statistics();
}

void CachingPool::reset_peak_statistics() {
  const std::lock_guard lock(mutex_);
  heap_.reset_peak_statistics();
}

}  // namespace runahead::device
