#pragma once

#include <c10/core/Allocator.h>

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <unordered_map>

#include "core/device/storage/memory_ledger.h"

namespace runahead::device {

/// Memory of kernels' results, kept for later ones: recently used pages cost no page faults and are
/// often still in a processor cache. For FreedMemory::kKept.
///
/// It is LibTorch's CPU allocator from install() on, because kernels allocate their results
/// themselves, until the program sets another one. It serves only allocations within a Scope, by
/// kernels of the device, and leaves everything else to LibTorch's default allocator, from which it
/// also gets its own memory. A request gets the smallest kept piece that is large enough and at
/// most an eighth larger; among equal pieces the one freed last.
///
/// Bounded: each request returns kept memory, largest first, while the total would exceed five
/// quarters of the most that was in use at once during the last kWindow to 2 kWindow requests. Kept
/// memory counts as idle in the ledger. Thread-safe.
class WarmMemory final : public c10::Allocator {
 public:
  /// Smaller pieces come from the C library's own free lists, which keep them anyway.
  static constexpr std::size_t kLeastBytes = 64 * 1024;
  /// More requests than a training step makes.
  static constexpr std::size_t kWindow = 8192;

  explicit WarmMemory(MemoryLedger& ledger);
  WarmMemory(const WarmMemory&) = delete;
  WarmMemory& operator=(const WarmMemory&) = delete;

  /// While it lives, the calling thread's allocations on `cpu` are for results. May be nested.
  class Scope {
   public:
    Scope() noexcept;
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const bool before_;
  };

  /// Makes this LibTorch's CPU allocator. @return whether it is: not if the process uses an
  /// allocator other than LibTorch's default.
  bool install();
  /// Sets whether to keep freed memory from now on; false also returns what is kept.
  void set_keeping(bool is_keeping) noexcept;
  /// Returns what is kept to the C library. @return whether anything was.
  bool return_kept() noexcept;

  c10::DataPtr allocate(std::size_t bytes) override;
  [[nodiscard]] c10::DeleterFnPtr raw_deleter() const override;
  void copy_data(void* target, const void* source, std::size_t bytes) const override;

 private:
  using Pieces = std::multimap<std::size_t, void*>;  // By size, then in the order freed.

  /// Frees memory of allocate() and raw_allocate(), kept or not.
  static void give_back_to_device(void* memory) noexcept;
  void give_back(void* memory) noexcept;
  [[nodiscard]] bool keep(void* memory) noexcept;
  [[nodiscard]] c10::DataPtr allocate_fresh(std::size_t bytes);
  [[nodiscard]] void* make(std::size_t bytes);
  // With the lock.
  [[nodiscard]] void* take_kept(std::size_t bytes) noexcept;
  void note_in_use(void* memory, std::size_t bytes);
  [[nodiscard]] Pieces take_beyond_bound(std::size_t new_bytes) noexcept;
  void free_all(const Pieces& pieces) const noexcept;

  MemoryLedger& ledger_;
  c10::Allocator& default_;  ///< LibTorch's.
  std::atomic<bool> is_keeping_{false};
  std::mutex mutex_{};
  Pieces kept_{};
  std::unordered_map<void*, std::size_t> in_use_{};
  std::size_t kept_bytes_ = 0;
  std::size_t in_use_bytes_ = 0;
  std::size_t most_in_use_bytes_ = 0;   ///< At once, in this window of requests.
  std::size_t most_in_use_before_ = 0;  ///< The same for the previous window.
  std::size_t requests_ = 0;            ///< In this window.
};

/// Uninitialised memory, from LibTorch's CPU allocator. A failure is counted in `ledger`.
/// @throws OutOfMemoryError
[[nodiscard]] c10::DataPtr allocate_host_memory(std::uint64_t bytes, MemoryLedger& ledger);

}  // namespace runahead::device
