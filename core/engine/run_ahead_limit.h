#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace runahead::engine {

/// How far the front end may run ahead. The first bound reached blocks it; nullopt: no bound.
struct RunAheadLimit {
  std::optional<std::uint64_t> operations{};  ///< Operations in flight, >= 1.
  std::optional<std::uint64_t> bytes{};       ///< Committed bytes, as the ledger counts them.
  std::optional<double> seconds{};  ///< Age of the oldest operation in flight, > 0, to about 4 ms.
  /// Sends one notice when more bytes than this are kept alive only by operations in flight. Blocks
  /// no push. Requires `bytes`.
  std::optional<std::uint64_t> notice_bytes{};
};

/// A notice to the program that set a byte limit.
struct LimitNotice {
  enum class Kind : std::uint8_t {
    kLargeBacklog,  ///< The backlog has passed `notice_bytes`.
    kExceeded,      ///< Admitted beyond the limit: nothing in flight could make room.
  };
  Kind kind = Kind::kLargeBacklog;
  std::uint64_t limit_bytes = 0;
  std::uint64_t committed_bytes = 0;  ///< Excluding the claim being admitted.
  std::uint64_t backlog_bytes = 0;    ///< The part kept only by operations in flight.
  std::uint64_t cost_bytes = 0;       ///< Bytes of the claim being admitted.
  std::uint64_t operations = 0;       ///< In flight.
};

/// Called on the admitted thread after its admission, with no lock held, once per kind and byte
/// limit. Must not throw. May be empty.
using LimitNoticeHandler = std::function<void(const LimitNotice&)>;

}  // namespace runahead::engine
