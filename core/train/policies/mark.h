#pragma once

#include <functional>
#include <memory>

#include "core/base/clock.h"

namespace runahead::train {

/// A point in the front end's order of issue. Used by the front end's thread only.
class Mark {
 public:
  virtual ~Mark() = default;
  /// Whether everything issued before the mark has finished. Never blocks.
  [[nodiscard]] virtual bool is_finished() = 0;
  /// Blocks until it has finished. Throws nothing: errors stay with what they poisoned.
  virtual void wait() = 0;
};

/// A sync policy's interface to the side that executes.
class MarkSource {
 public:
  using FinishedCallback = std::function<void(TimePoint)>;

  virtual ~MarkSource() = default;

  /// Marks the end of what has been issued so far. `on_finished` is called once, on any thread,
  /// with the time at which everything before the mark had finished: on `acpu` at that moment, on
  /// `cuda` in a later mark or wait. If nothing is in flight, mark() itself calls it. The callback
  /// must be quick and issue nothing.
  virtual std::unique_ptr<Mark> mark(FinishedCallback on_finished = {}) = 0;

  /// Whether the device itself holds each operation at admission while committed bytes would exceed
  /// the run-ahead limit (`acpu`), so that the loop need not wait to keep a budget.
  [[nodiscard]] virtual bool holds_at_admission() const noexcept { return false; }
};

}  // namespace runahead::train
