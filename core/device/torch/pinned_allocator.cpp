#include "core/device/torch/pinned_allocator.h"

#include <ATen/core/CachingHostAllocator.h>

#include <atomic>
#include <map>
#include <mutex>
#include <optional>

#include "core/device/caching/segment_memory.h"
#include "core/device/runtime.h"
#include "core/device/storage/memory_ledger.h"
#include "core/device/storage/statistics.h"

namespace runahead::device {
namespace {

using PinnedBlock = at::HostBlock<c10::Stream>;

void free_pinned(void* context);

std::uintptr_t address_of(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

/// An event after which freed memory is reused.
struct PinnedUse {
  engine::Event event{};
  std::shared_ptr<const void> active{};
};

/// The count of the memory that the calling thread is freeing.
thread_local std::shared_ptr<const void> active_freed_now;

class PinnedMemory final
    : public at::CachingHostAllocatorImpl<c10::Stream, PinnedUse, PinnedBlock> {
 public:
  /// One block's memory, and the variable that orders operations on it.
  struct Range {
    std::shared_ptr<caching::SegmentMemory> memory{};
    engine::VariablePtr variable{};
  };
  /// The range that contains `address`; nullopt if it is not pinned.
  [[nodiscard]] std::optional<Range> range_of(const void* address) const {
    const std::uintptr_t wanted = address_of(address);
    const std::lock_guard lock(mutex_);
    const auto after = ranges_.upper_bound(wanted);
    if (after == ranges_.begin()) return std::nullopt;
    const auto& [begin, range] = *std::prev(after);
    return wanted < begin + range.memory->bytes() ? std::optional(range) : std::nullopt;
  }
  [[nodiscard]] std::uint64_t bytes() const noexcept {
    return bytes_.load(std::memory_order_relaxed);
  }
  /// A reused block carries no failures of its previous use.
  [[nodiscard]] std::pair<void*, void*> allocate(std::size_t size) override {
    const auto given = CachingHostAllocatorImpl::allocate(size);
    if (given.second == nullptr) return given;
    active_.add(static_cast<PinnedBlock*>(given.second)->size_);
    const std::lock_guard lock(mutex_);
    ranges_.at(address_of(given.first)).variable = engine::make_variable();
    return given;
  }

  void free(void* block) override {
    if (block == nullptr) return;
    const std::uint64_t bytes = static_cast<PinnedBlock*>(block)->size_;
    // It is active until the last copy of this pointer is gone.
    std::shared_ptr<const void> active(this,
                                       [this, bytes](const void*) { active_.subtract(bytes); });
    // Recording an event may free other memory.
    auto outer = std::exchange(active_freed_now, std::move(active));
    CachingHostAllocatorImpl::free(block);
    active_freed_now = std::move(outer);
  }
  [[nodiscard]] const MemoryTally& active() const noexcept { return active_; }
  void reset_peaks() {
    active_.reset_peak();
    resetPeakStats();
  }

 private:
  void allocate_host_memory(std::size_t size, void** memory) override {
    auto segment = source_.make(size);
    if (segment == nullptr) {
      C10_THROW_ERROR(OutOfMemoryError,
                      c10::str("acpu: could not allocate ", size, " bytes of pinned memory"));
    }
    *memory = reinterpret_cast<void*>(segment->address());  // NOLINT(performance-no-int-to-ptr)
    bytes_.fetch_add(size, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    ranges_[segment->address()].memory = std::move(segment);
  }
  void free_block(PinnedBlock* block) override {
    bytes_.fetch_sub(block->size_, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    ranges_.erase(address_of(block->ptr_));
  }
  void record_stream(std::optional<std::vector<PinnedUse>>& events, c10::Stream stream) override {
    events->push_back({Runtime::get().record_use(stream.id()), active_freed_now});
  }
  bool query_event(PinnedUse& use) override { return use.event.is_finished(); }
  bool pinned_use_background_threads() override { return false; }

  /// What a tensor owns, or copies in flight still use. LibTorch's own count of it does not
  /// decrease when memory that no stream has used is freed.
  MemoryTally active_{};
  mutable std::mutex mutex_{};
  caching::HostSegments source_{};
  std::map<std::uintptr_t, Range> ranges_{};  ///< By address.
  std::atomic<std::uint64_t> bytes_{0};
};

class PinnedAllocator final : public at::CachingHostAllocatorInterface<PinnedMemory, &free_pinned> {
};

PinnedAllocator& instance() {
  static auto* const allocator = new PinnedAllocator();
  return *allocator;
}

void free_pinned(void* context) {
  // A thread that is not in this process may have held a lock at the fork.
  if (!is_forked()) instance().free(context);
}

}  // namespace

at::HostAllocator& pinned_allocator() { return instance(); }

bool is_pinned(const void* address) {
  return pinned_bytes() != 0 && instance().impl_->range_of(address);
}

engine::VariablePtr record_pinned_use(const void* address, c10::Stream stream) {
  const auto range = instance().impl_->range_of(address);
  // By its start address: another library may have made the storage on a part of it.
  void* const block = reinterpret_cast<void*>(  // NOLINT(performance-no-int-to-ptr)
      range.value().memory->address());
  instance().record_event(block, nullptr, stream);
  return range->variable;
}

engine::VariablePtr pinned_variable(const void* address) {
  return instance().impl_->range_of(address).value().variable;
}

void reset_pinned_peaks() { instance().impl_->reset_peaks(); }

std::uint64_t pinned_bytes() noexcept { return instance().impl_->bytes(); }

std::vector<std::pair<std::string, std::int64_t>> pinned_memory_statistics() {
  const at::HostStats stats = instance().get_stats();
  std::vector<std::pair<std::string, std::int64_t>> named;
  const auto add = [&](const std::string& name, const c10::CachingAllocator::Stat& stat) {
    named.emplace_back(name + ".current", stat.current);
    named.emplace_back(name + ".peak", stat.peak);
    named.emplace_back(name + ".allocated", stat.allocated);
    named.emplace_back(name + ".freed", stat.freed);
  };
  const MemoryTally& active = instance().impl_->active();
  add("active_requests", stat_of(active.count));
  add("active_bytes", stat_of(active.bytes));
  add("allocations", stats.allocations);
  add("allocated_bytes", stats.allocated_bytes);
  named.emplace_back("num_host_alloc", stats.num_host_alloc);
  named.emplace_back("num_host_free", stats.num_host_free);
  return named;
}

}  // namespace runahead::device
