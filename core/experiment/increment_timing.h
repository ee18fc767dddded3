#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/json.h"
#include "core/experiment/device_session.h"
#include "core/train/policies/cost_model.h"

namespace runahead::experiment {

/// n times y = x + 1.
struct IncrementRun {
  std::int64_t operations = 0;
  double waited_each_seconds = 0.0;  ///< Waiting after each.
  double waited_once_seconds = 0.0;  ///< Waiting once at the end.
  double issue_seconds = 0.0;        ///< Of the latter, until all have been issued.
  /// Of the latter, while the back end executed anything; nullopt where that is unknown.
  std::optional<double> busy_seconds{};
};

/// The program that is timed: what is added to, and how.
struct IncrementProgram {
  torch::Tensor x{};
  bool is_chained = false;             ///< x = x + 1, each of the last; else all of the same x.
  double seconds_per_increment = 0.0;  ///< Front-end time added to each: the CPU is busy.
};

/// Runs it, waiting and not. Blocks until all is computed; nothing may be in flight. The added time
/// counts as issuing.
[[nodiscard]] IncrementRun time_increments(DeviceSession& device, const IncrementProgram& program,
                                           std::int64_t operations);

/// Fits t1, t2 and t3 to runs of at least two different numbers of operations. Of the runs of one
/// number the least times count, since what else the machine does can only add to them:
/// - t1: issue_seconds an operation, the median over the numbers;
/// - t1+t2+t3: waited_each_seconds an operation, likewise;
/// - what one more operation takes without waits, max(t1, t2): (waited_once_seconds - (t1+t2+t3)) /
///   (n-1), likewise. Where that is above t1 by more than a tenth it is t2;
/// - else t2 < t1, and these times do not show it: it is busy_seconds an operation; where that is
///   not known, what an operation that is waited for takes beyond t1. At most t1;
/// - t3: what an operation that is waited for takes, less t1 and t2; at least 0.
/// @throws UsageError for runs of one number of operations alone.
[[nodiscard]] train::BatchCost fit_increments(const std::vector<IncrementRun>& runs);

/// n(t1+t2+t3), and t1+n·t2+t3 or, where t2 < t1, n·t1+t2+t3.
struct IncrementPrediction {
  double waited_each_seconds = 0.0;
  double waited_once_seconds = 0.0;
};
[[nodiscard]] IncrementPrediction predict_increments(const train::BatchCost& cost,
                                                     std::int64_t operations);

/// {t1_seconds, t2_seconds, t3_seconds, bottleneck}.
[[nodiscard]] Json to_json(const train::BatchCost& cost);

/// The runs of one number of operations, one a repeat, and what `cost`, which was fitted to
/// others, predicts: {operations, waited_each_seconds, waited_once_seconds, issue_seconds,
/// predicted_each_seconds, predicted_once_seconds, error_each, error_once}; measured times as
/// {median, min, max, count}. An error is that of the least time: least / predicted - 1.
/// @throws UsageError if there is no run.
[[nodiscard]] Json to_json(const std::vector<IncrementRun>& runs, const train::BatchCost& cost);

}  // namespace runahead::experiment
