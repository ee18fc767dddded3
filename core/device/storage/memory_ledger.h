#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

#include "core/device/storage/counter_group.h"
#include "core/device/storage/high_water_mark.h"
#include "core/device/storage/peak_counter.h"
#include "core/device/storage/tensor_class.h"
#include "core/engine/ledger.h"

namespace runahead::device {

/// Bytes, and the number of pieces of memory that they form. Thread-safe, lock-free.
struct MemoryTally {
  PeakCounter bytes{};
  PeakCounter count{};

  void add(std::uint64_t piece_bytes) noexcept {
    bytes.add(piece_bytes);
    count.add(1);
  }
  void subtract(std::uint64_t piece_bytes) noexcept {
    bytes.subtract(piece_bytes);
    count.subtract(1);
  }
  void reset_peak() noexcept {
    bytes.reset_peak();
    count.reset_peak();
  }
};

/// What a block's bytes are counted as.
enum class MemoryUse : std::uint8_t {
  kNone,
  kPromised,   ///< Issued, not yet allocated.
  kAllocated,  ///< A tensor owns the memory.
  kFreed,      ///< No tensor owns it any more; operations in flight still use it.
  kHeld,       ///< The same for data that the host handed over.
};

/// A block's memory, as the ledger counts it.
struct MemoryPiece {
  std::uint64_t bytes = 0;            ///< Memory that it occupies.
  std::uint64_t requested_bytes = 0;  ///< Memory that was requested.
  TensorClass tensor_class = TensorClass::kOther;
};

/// The device's account of memory: every byte is counted in exactly one of promised, allocated,
/// freed in flight, held and idle; live, occupied and reserved are sums of these. Thread-safe.
///
/// It also counts admitted memory as `claimed`, from the push of the operation that allocates it,
/// or from its allocation if that is earlier, until it is free. The committed bytes are the
/// predicted high-water mark if operations run in the order of issue and allocate when they run,
/// otherwise all claimed bytes.
class MemoryLedger final : public engine::Ledger {
 public:
  std::uint64_t reserve(std::uint64_t sequence, std::uint64_t oldest) override {
    return mark_.reserve(sequence, oldest);
  }
  void commit(std::uint64_t sequence, std::uint64_t cost_bytes) noexcept override;
  void commit_now(std::uint64_t bytes, std::uint64_t oldest) noexcept override;
  void collect_free() noexcept override {
    if (collect_free_) collect_free_();
  }
  [[nodiscard]] std::uint64_t committed_bytes(std::uint64_t oldest) const noexcept override;
  [[nodiscard]] bool is_within(std::uint64_t limit_bytes, const engine::Claim& claim,
                               std::uint64_t oldest) const noexcept override;
  [[nodiscard]] std::uint64_t backlog_bytes(std::uint64_t oldest) const noexcept override;
  [[nodiscard]] bool is_backlog_above(std::uint64_t bytes,
                                      std::uint64_t oldest) const noexcept override;

  /// Sets what collect_free() calls, before any engine uses the ledger. It must not block for long,
  /// call the engine or throw.
  void set_collect_free(std::function<void()> collect_free) {
    collect_free_ = std::move(collect_free);
  }

  /// No tensor owns the committed `bytes` any more; operations up to `last_use` use them.
  void foresee_free(std::uint64_t bytes, std::uint64_t last_use) noexcept {
    mark_.release(bytes, last_use);
  }
  /// A tensor again owns `bytes` that operations in flight kept committed.
  void foresee_reuse(std::uint64_t bytes) noexcept { mark_.add_now(bytes, 0); }
  /// The bytes are free.
  void free(std::uint64_t bytes) noexcept { claimed.subtract(bytes); }

  /// To be called when nothing is in flight and the engine is replaced. @param predicts  Whether
  /// operations run in the order of issue and allocate when they run.
  void restart(bool predicts) noexcept;
  /// From now on operations may overtake others, so all claimed bytes count as committed.
  void stop_predicting() noexcept {
    if (predicts_) predicts_ = false;  // Others read it: written once, it stays in their caches.
  }
  [[nodiscard]] bool predicts() const noexcept { return predicts_; }
  [[nodiscard]] std::uint64_t committed_peak_bytes() const noexcept {
    return predicts_ ? mark_.peak_bytes() : claimed.peak();
  }
  [[nodiscard]] std::uint64_t bookkeeping_bytes() const noexcept {
    return mark_.bookkeeping_bytes();
  }

  /// Counts a block as `to` instead of `from`. Calls for one block must not overlap.
  void move(MemoryUse from, MemoryUse to, const MemoryPiece& piece) noexcept;

  /// Counts host data, already committed, that operations in flight keep alive outside of blocks.
  void hold(std::uint64_t bytes, TensorClass tensor_class) noexcept;
  void let_go(std::uint64_t bytes, TensorClass tensor_class) noexcept;

  /// Allocated, freed-in-flight and held bytes of one class.
  [[nodiscard]] std::uint64_t class_bytes(TensorClass tensor_class) const noexcept {
    return parts_.current(place_of(tensor_class));
  }

  [[nodiscard]] std::uint64_t reserved_bytes() const noexcept {
    return live.bytes.current() + idle.bytes.current();
  }
  [[nodiscard]] std::uint64_t reserved_peak_bytes() const noexcept {
    return reserved_.peak(live.bytes);
  }
  /// Bytes obtained from the C library so far.
  [[nodiscard]] std::uint64_t bytes_made() const noexcept {
    return live.bytes.added() - reused.bytes.added();
  }
  /// The three figures above, in pieces.
  [[nodiscard]] std::uint64_t segments() const noexcept {
    return live.count.current() + idle.count.current();
  }
  [[nodiscard]] std::uint64_t segments_peak() const noexcept { return segments_.peak(live.count); }
  [[nodiscard]] std::uint64_t segments_made() const noexcept {
    return live.count.added() - reused.count.added();
  }
  /// Memory of one class that no operation has used yet: the system has not backed it with pages.
  [[nodiscard]] std::uint64_t untouched_bytes(TensorClass tensor_class) const noexcept {
    return parts_.current(kTensorClasses + place_of(tensor_class));
  }
  void add_untouched(TensorClass tensor_class, std::uint64_t bytes) noexcept {
    parts_.add(kTensorClasses + place_of(tensor_class), bytes);
  }
  void subtract_untouched(TensorClass tensor_class, std::uint64_t bytes) noexcept {
    parts_.subtract(kTensorClasses + place_of(tensor_class), bytes);
  }

  /// Results of executing operations, from a kernel's start until its result is in the promised
  /// block. They are the kernel's own memory: not live yet, or in addition to live memory.
  [[nodiscard]] std::uint64_t executing_bytes() const noexcept {
    return parts_.current(kExecuting);
  }
  /// Counts memory that becomes idle without having belonged to a block.
  void add_idle(std::uint64_t bytes) noexcept;

  void add_executing(std::uint64_t bytes) noexcept { parts_.add(kExecuting, bytes); }
  void subtract_executing(std::uint64_t bytes) noexcept { parts_.subtract(kExecuting, bytes); }

  /// Sets every peak to the present value.
  void reset_peaks() noexcept;

  PeakCounter promised{};
  MemoryTally allocated{};
  PeakCounter requested{};  ///< Requested bytes of allocated memory.
  PeakCounter freed{};      ///< Freed in flight.
  PeakCounter held{};       ///< Host inputs kept only by operations in flight.
  MemoryTally idle{};       ///< Kept by a pool for reuse; no operation relies on it.
  MemoryTally live{};       ///< Allocated and freed in flight.
  PeakCounter occupied{};   ///< Live and held.
  PeakCounter claimed{};    ///< Admitted and not free: promised at issue, live and held.

  PeakCounter calls{};  ///< Bytes in which operations in flight store their calls.

  MemoryTally reused{};  ///< Became live without an allocation; only ever grows.

  std::atomic<std::uint64_t> failures{0};  ///< Allocations that failed, so far.
  std::atomic<std::uint64_t> retries{0};   ///< Allocations retried after idle memory was returned.

  /// Start of the next block's address range: above every user-space address of the supported
  /// machines, so that no device address collides with real memory.
  std::atomic<std::uint64_t> next_device_address{std::uint64_t{1} << 56};
  /// The class of memory allocated now.
  PresentTensorClass present_class{};

 private:
  // The peak of live + idle, in bytes or pieces: while nothing is idle, live's own peak covers it.
  class ReservedPeak {
   public:
    void raise_to(std::uint64_t reserved) noexcept;
    void reset(std::uint64_t reserved) noexcept { most_.store(reserved); }
    [[nodiscard]] std::uint64_t peak(const PeakCounter& live) const noexcept {
      return std::max(live.peak(), most_.load(std::memory_order_relaxed));
    }

   private:
    std::atomic<std::uint64_t> most_{0};
  };

  void occupy(std::uint64_t bytes, TensorClass tensor_class) noexcept;
  void vacate(std::uint64_t bytes, TensorClass tensor_class) noexcept;

  static constexpr std::size_t kExecuting = 2 * kTensorClasses;

  [[nodiscard]] static std::size_t place_of(TensorClass tensor_class) noexcept {
    return static_cast<std::size_t>(tensor_class);
  }

  CounterGroup<kExecuting + 1> parts_{};  ///< By class, untouched by class, executing.
  HighWaterMark mark_{};
  std::atomic<std::uint64_t> held_outside_blocks_{0};  ///< Held, but not by a block.
  std::atomic<bool> predicts_{true};
  std::function<void()> collect_free_{};
  ReservedPeak reserved_{};
  ReservedPeak segments_{};
};

}  // namespace runahead::device
