#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace runahead::engine {

/// How far the front end may run ahead: the first bound reached blocks. nullopt: no bound.
struct RunAheadLimit {
  std::optional<std::uint64_t> operations{};  ///< Operations in flight, >= 1.
  std::optional<std::uint64_t> bytes{};       ///< Committed bytes, as the ledger counts them.
  std::optional<double> seconds{};  ///< Age of the oldest operation in flight, > 0, to about 4 ms.
  /// Sends a notice, once, when operations in flight alone keep more bytes than this. Blocks no
  /// push. Needs `bytes`.
  std::optional<std::uint64_t> notice_bytes{};
};

/// A notice to the program that set a limit of bytes.
struct LimitNotice {
  enum class Kind : std::uint8_t {
    kLargeBacklog,  ///< The backlog has passed `notice_bytes`.
    kExceeded,      ///< Admitted beyond the limit: nothing in flight could make room.
  };
  Kind kind = Kind::kLargeBacklog;
  std::uint64_t limit_bytes = 0;
  std::uint64_t committed_bytes = 0;  ///< Without what is about to be admitted.
  std::uint64_t backlog_bytes = 0;    ///< Of these, kept by operations in flight alone.
  std::uint64_t cost_bytes = 0;       ///< What is about to be admitted.
  std::uint64_t operations = 0;       ///< In flight.
};

/// Called on the admitted thread after its admission, without locks, once per kind and limit of
/// bytes. Must not throw. May be empty.
using LimitNoticeHandler = std::function<void(const LimitNotice&)>;

}  // namespace runahead::engine
