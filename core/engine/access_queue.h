#pragma once

#include <cstdint>

namespace runahead::engine {

struct PendingAccess;

/// Orders the accesses to one variable: grants any number of concurrent reads, or one write, in the
/// order in which they were added. Not thread-safe: the engine's tracking lock guards it.
class AccessQueue {
 public:
  /// Grants `access` now if no earlier access conflicts with it; otherwise queues it.
  /// @return whether it was granted.
  bool add(PendingAccess& access) noexcept;

  /// Ends a granted access.
  /// @return the accesses that this grants, linked through `next`; null if none.
  PendingAccess* release(const PendingAccess& access) noexcept;

 private:
  [[nodiscard]] bool may_run(const PendingAccess& access) const noexcept;
  void grant(const PendingAccess& access) noexcept;

  PendingAccess* first_waiting_ = nullptr;
  PendingAccess* last_waiting_ = nullptr;
  std::uint32_t running_reads_ = 0;
  bool is_write_running_ = false;
};

}  // namespace runahead::engine
