#pragma once

#include <cstdint>

namespace runahead::engine {

/// Bytes that are about to be allocated.
struct Claim {
  std::uint64_t bytes = 0;
  bool is_now = false;  ///< Allocated by the caller now, not by an operation when it runs.
};

/// Counts the bytes that operations hold and will allocate. The device implements it.
///
/// The engine does not know about tensors. It reports what it admitted, and asks what memory use
/// will reach when everything admitted so far has run. It calls the ledger under its push lock, in
/// the order of pushes; a ledger must be quick, must not block and must not call the engine.
/// `oldest` is the number of the oldest operation that has not finished, or the next one's if none
/// is in flight; 0 if unknown.
class Ledger {
 public:
  virtual ~Ledger() = default;

  /// Makes room for the commitments of operations up to `sequence` or beyond.
  /// @return the number of the last operation there is room for. @throws std::bad_alloc.
  virtual std::uint64_t reserve(std::uint64_t sequence, std::uint64_t oldest) = 0;

  /// Records that operation `sequence` was pushed; it allocates `cost_bytes` when it runs.
  virtual void commit(std::uint64_t sequence, std::uint64_t cost_bytes) noexcept = 0;
  /// Records `bytes` that are allocated now, not by an operation.
  virtual void commit_now(std::uint64_t bytes, std::uint64_t oldest) noexcept = 0;
  /// Frees what events, not operations, have made free since the last call. Called before a claim
  /// is held, and now and then while it is.
  virtual void collect_free() noexcept {}

  /// What memory use will reach when everything committed has run.
  [[nodiscard]] virtual std::uint64_t committed_bytes(std::uint64_t oldest) const noexcept = 0;
  /// Whether the committed bytes stay within `limit_bytes` if `claim` is added.
  [[nodiscard]] virtual bool is_within(std::uint64_t limit_bytes, const Claim& claim,
                                       std::uint64_t oldest) const noexcept = 0;
  /// The committed bytes that would be free if all operations had finished.
  [[nodiscard]] virtual std::uint64_t backlog_bytes(std::uint64_t oldest) const noexcept = 0;
  [[nodiscard]] virtual bool is_backlog_above(std::uint64_t bytes,
                                              std::uint64_t oldest) const noexcept = 0;
};

}  // namespace runahead::engine
