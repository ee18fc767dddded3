#pragma once

#include <cstdint>

namespace runahead::engine {

/// Bytes that are about to be allocated.
struct Claim {
  std::uint64_t bytes = 0;
  bool is_now = false;  ///< At once, not by an operation when it runs.
};

/// Keeps account of the bytes that operations have claimed and will claim; the device implements
/// it.
///
/// The engine sees no tensors, so it tells what was admitted, and asks: what will memory reach when
/// everything admitted so far has run? The engine calls it under its push lock, so in the order of
/// pushes; it must be quick, must not block, must not call the engine. `oldest` is the number of
/// the oldest operation that has not finished, or the next one's if none is in flight; 0: not
/// known.
class Ledger {
 public:
  virtual ~Ledger() = default;

  /// Makes room for the commitments of operations up to `sequence`, and of as many more as it
  /// likes. @return the number of the last there is room for. @throws std::bad_alloc.
  virtual std::uint64_t reserve(std::uint64_t sequence, std::uint64_t oldest) = 0;

  /// Operation `sequence` was pushed: it allocates `cost_bytes` when it runs.
  virtual void commit(std::uint64_t sequence, std::uint64_t cost_bytes) noexcept = 0;
  /// `bytes` are allocated now, not by an operation.
  virtual void commit_now(std::uint64_t bytes, std::uint64_t oldest) noexcept = 0;

  /// What memory will reach when everything committed has run.
  [[nodiscard]] virtual std::uint64_t committed_bytes(std::uint64_t oldest) const noexcept = 0;
  /// Whether that stays within `limit_bytes` with `claim`.
  [[nodiscard]] virtual bool is_within(std::uint64_t limit_bytes, const Claim& claim,
                                       std::uint64_t oldest) const noexcept = 0;
  /// Of what is committed, the bytes that would be free if all operations had finished.
  [[nodiscard]] virtual std::uint64_t backlog_bytes(std::uint64_t oldest) const noexcept = 0;
  [[nodiscard]] virtual bool is_backlog_above(std::uint64_t bytes,
                                              std::uint64_t oldest) const noexcept = 0;
};

}  // namespace runahead::engine
