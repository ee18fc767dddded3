#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/clock.h"
#include "core/engine/operation_body.h"

namespace runahead::engine {

struct OperationNode;

/// An operation as an observer sees it. Valid only during the call.
struct OperationEvent {
  std::uint64_t sequence = 0;  ///< Number in the order of pushes, from 1.
  std::string_view name{};
  std::uint64_t cost_bytes = 0;
  int worker = -1;                      ///< Index of the worker; -1: the pushing thread.
  const OperationBody* body = nullptr;  ///< May describe itself; null in on_finish.
  bool failed = false;                  ///< In on_finish: the body threw.
  bool skipped = false;                 ///< In on_finish: not run, because a dependency failed.
  TimePoint time{};
  const OperationNode* node = nullptr;  ///< For accesses_of.
};

/// What a thread waits for.
enum class WaitCause : std::uint8_t {
  kLimit,     ///< To be admitted: its push is held at the run-ahead limit.
  kVariable,  ///< For the operations that write a variable.
  kAll,       ///< Until nothing is in flight.
  kMarker,    ///< For the operations pushed before a marker.
  kTurn,      ///< In the naive engine: until another thread has run its operation.
};

struct WaitEvent {
  WaitCause cause = WaitCause::kAll;
  TimePoint time{};
};

/// Observes every step of every operation, and the waits. Called on the thread where each happens,
/// from several threads at once: must be thread-safe and quick, and must not throw or call the
/// engine.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_push(const OperationEvent&) noexcept {}
  virtual void on_ready(const OperationEvent&) noexcept {}
  virtual void on_start(const OperationEvent&) noexcept {}
  virtual void on_finish(const OperationEvent&) noexcept {}
  virtual void on_wait_begin(const WaitEvent&) noexcept {}
  virtual void on_wait_end(const WaitEvent&) noexcept {}
};

}  // namespace runahead::engine
