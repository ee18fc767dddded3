#pragma once

#include <cstdint>
#include <optional>

namespace runahead::engine {

/// How far the front end may run ahead; the first bound that is reached holds. nullopt: no bound.
struct RunAheadLimit {
  std::optional<std::uint64_t> operations{};  ///< Operations in flight, >= 1.
  std::optional<std::uint64_t> bytes{};       ///< Committed bytes, as the ledger counts them.
  std::optional<double> seconds{};  ///< Age of the oldest operation in flight, > 0, to about 4 ms.
};

}  // namespace runahead::engine
