#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/clock.h"
#include "core/train/back_end.h"
#include "core/train/loop_observer.h"

namespace runahead::train {

/// The recorded events of one batch: when each side reached each point, and the counts at that
/// time. Unknown counts are nullopt.
struct BatchEvents {
  TimePoint admitted{};  ///< Front end: about to make its data.
  TimePoint made{};      ///< Front end: its data is made, or making it is issued.
  TimePoint issued{};    ///< Front end: its last operation is issued.
  TimePoint returned{};  ///< Front end: the sync policy has returned.
  TimePoint computed{};  ///< Back end: its loss and everything issued before have finished.
  TimePoint finished{};  ///< Back end: its last operation has finished.

  /// Seconds that the front end waited for the back end between `admitted` and `issued` (held at
  /// the run-ahead limit, or by an operator whose shape depends on values).
  double waited_seconds = 0.0;
  /// Seconds that the back end had been executing by `issued` and by `finished`.
  std::optional<double> busy_seconds_when_issued{};
  std::optional<double> busy_seconds_when_finished{};
  std::optional<ClaimedBytes> when_admitted{};
  std::optional<ClaimedBytes> when_issued{};
  std::optional<ClaimedBytes> when_returned{};
  std::optional<ClaimedBytes> when_computed{};
  std::optional<ClaimedBytes> when_finished{};
};

/// Records the first batches of a loop and ignores the rest. Each recorded batch costs two marks.
class BatchTimeline final : public LoopObserver {
 public:
  /// Seconds of execution up to `until`; may be empty. Must be thread-safe and quick.
  using BusySeconds = std::function<std::optional<double>(TimePoint until)>;
  /// Seconds that the front end has waited so far; may be empty.
  using WaitedSeconds = std::function<double()>;

  /// @param count     The most batches recorded.
  /// @param back_end  Must outlive everything in flight.
  BatchTimeline(std::size_t count, BackEnd& back_end, BusySeconds busy_seconds = {},
                WaitedSeconds waited_seconds = {});

  void on_phase(LoopPhase phase, TimePoint time) override;

  /// The recorded batches that have finished and returned, in order. Thread-safe.
  [[nodiscard]] std::vector<BatchEvents> finished() const;

 private:
  class State;

  void mark_computed(std::size_t batch);
  void mark_finished(std::size_t batch);

  BackEnd& back_end_;
  std::shared_ptr<State> state_;
};

}  // namespace runahead::train
