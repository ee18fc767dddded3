#pragma once

#include <functional>
#include <memory>

#include "core/base/clock.h"

namespace runahead::train {

/// A point in the order of what the front end issued. Used by the front end's thread only.
class Mark {
 public:
  virtual ~Mark() = default;
  /// Whether everything issued before the mark has finished. Never blocks.
  [[nodiscard]] virtual bool is_finished() = 0;
  /// Blocks until it has. Throws nothing: errors stay with what they poisoned.
  virtual void wait() = 0;
};

/// What a sync policy asks of the side that executes.
class MarkSource {
 public:
  using FinishedCallback = std::function<void(TimePoint)>;

  virtual ~MarkSource() = default;

  /// Marks the end of what has been issued so far. `on_finished` is called once, on any thread,
  /// with the time at which everything before the mark had finished: on `acpu` at that moment, on
  /// `cuda` in a later mark or wait. If nothing is in flight, mark() itself calls it at once. The
  /// callback must be quick and issue nothing.
  virtual std::unique_ptr<Mark> mark(FinishedCallback on_finished = {}) = 0;

  /// Whether the device itself holds each operation at its admission while committed bytes would
  /// pass the run-ahead limit (`acpu`), so that a budget needs no wait of the loop.
  [[nodiscard]] virtual bool holds_at_admission() const noexcept { return false; }
};

}  // namespace runahead::train
