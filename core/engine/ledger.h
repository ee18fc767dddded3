#pragma once

#include <cstdint>

namespace runahead::engine {

/// Keeps account of the bytes that operations have claimed and will claim; the device implements
/// it.
///
/// The engine sees no tensors, so it asks: what will memory reach when everything issued so far,
/// and this operation, have run? Called by pushing threads, possibly several at once, with the
/// engine's lock held: must be quick, must not block, must not call the engine.
class Ledger {
 public:
  virtual ~Ledger() = default;

  /// Committed bytes if an operation that allocates `cost_bytes` were issued now.
  [[nodiscard]] virtual std::uint64_t committed_bytes_with(
      std::uint64_t cost_bytes) const noexcept = 0;
};

}  // namespace runahead::engine
