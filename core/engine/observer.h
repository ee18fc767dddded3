#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/clock.h"

namespace runahead::engine {

/// What an observer is told of an operation. Valid only during the call.
struct OperationEvent {
  std::uint64_t sequence = 0;  ///< Number in the order of pushes, from 1.
  std::string_view name{};
  std::uint64_t cost_bytes = 0;
  int worker = -1;       ///< Index of the worker; -1: the pushing thread.
  bool failed = false;   ///< In on_finish: the body threw.
  bool skipped = false;  ///< In on_finish: not run, because of what it depends on.
  TimePoint time{};
};

/// Sees every operation's way through the engine. Called on the thread where it happens, several at
/// once: must be thread-safe, quick, and must not throw or call the engine.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_push(const OperationEvent&) noexcept {}
  virtual void on_ready(const OperationEvent&) noexcept {}
  virtual void on_start(const OperationEvent&) noexcept {}
  virtual void on_finish(const OperationEvent&) noexcept {}
};

}  // namespace runahead::engine
