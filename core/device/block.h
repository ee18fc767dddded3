#pragma once

#include <c10/core/Allocator.h>

#include <atomic>
#include <cstdint>
#include <mutex>

#include "core/device/memory_ledger.h"
#include "core/engine/variable.h"

namespace runahead::device {

/// The memory behind one storage, and the variable by which operations on it are ordered.
///
/// A tensor's storage and the operations in flight own the block together; operations never own
/// tensors or storages, whose use counts autograd looks at. Memory may come long after the block:
/// until then the block is a promise. What a storage shows as its data pointer is a device address,
/// unique and aligned but mapped to nothing, as with any accelerator: the front end can compare
/// such addresses (overlap checks do) and must not read through them.
///
/// Thread-safe but for `is_fresh`/`mark_used`, which belong to front-end threads.
class Block final : public engine::Variable {
 public:
  /// Promises `size_bytes`; claims nothing yet.
  Block(std::uint64_t size_bytes, MemoryLedger& ledger);
  ~Block() override;

  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return size_bytes_; }
  [[nodiscard]] void* device_address() const noexcept { return device_address_; }

  /// The memory, on the host; claimed now if it was not yet (uninitialised).
  /// @throws OutOfMemoryError
  void* memory();

  /// Gives a block without memory the memory of a kernel's result, at least `size_bytes()` of it.
  void adopt(c10::DataPtr memory);

  /// Claims memory for data that the host hands over at issue: it counts as live while a storage
  /// refers to the block, and as held when only operations in flight do. @throws OutOfMemoryError
  void* memory_for_host_input();

  /// Whether no operation has named the block yet, so that the front end may fill it itself.
  [[nodiscard]] bool is_fresh() const noexcept { return is_fresh_.load(std::memory_order_relaxed); }
  void mark_used() noexcept { is_fresh_.store(false, std::memory_order_relaxed); }

  /// The data pointer of a storage on a new block of `size_bytes`.
  [[nodiscard]] static c10::DataPtr make_data_pointer(std::uint64_t size_bytes,
                                                      MemoryLedger& ledger);
  /// The block behind a storage's data pointer. @throws UsageError if it is not this device's.
  [[nodiscard]] static Block& of(const c10::DataPtr& pointer);

 private:
  static void release_storage(void* context) noexcept;
  void claim_locked();

  const std::uint64_t size_bytes_;
  MemoryLedger& ledger_;
  void* const device_address_;
  std::mutex mutex_{};
  c10::DataPtr memory_{};
  std::atomic<void*> memory_address_{nullptr};
  PeakCounter* counted_in_;  ///< Which of the ledger's counters holds this block's bytes.
  bool is_host_input_ = false;
  std::atomic<bool> is_fresh_{true};
  engine::VariablePtr storage_reference_{};  ///< The storage's share in this block.
};

}  // namespace runahead::device
