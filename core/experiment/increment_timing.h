#pragma once

#include <torch/types.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/json.h"
#include "core/experiment/device_session.h"
#include "core/train/policies/cost_model.h"

namespace runahead::experiment {

/// Timings of n operations y = x + 1.
struct IncrementRun {
  std::int64_t operations = 0;
  double waited_each_seconds = 0.0;  ///< Waiting after each.
  double waited_once_seconds = 0.0;  ///< Waiting once at the end.
  double issue_seconds = 0.0;        ///< In the latter, until all were issued.
  /// In the latter, time during which the back end was executing; nullopt if unknown.
  std::optional<double> busy_seconds{};
};

/// That time of each run.
[[nodiscard]] std::vector<double> times_of(const std::vector<IncrementRun>& runs,
                                           double IncrementRun::*time);

/// The program that is timed.
struct IncrementProgram {
  torch::Tensor x{};
  bool is_chained = false;             ///< Each operation on the last result; else all on x.
  double seconds_per_increment = 0.0;  ///< Time the front end is busy before each operation.
};

/// Runs the program twice, waiting after each operation and once at the end. Blocks until all is
/// computed; nothing may be in flight. `seconds_per_increment` counts as issuing.
[[nodiscard]] IncrementRun time_increments(DeviceSession& device, const IncrementProgram& program,
                                           std::int64_t operations);

/// Fits t1, t2 and t3 to runs of at least two different numbers of operations. Among the runs of
/// one number the shortest times count, since other load on the machine can only add to them:
/// - t1: issue_seconds per operation, the median over the numbers;
/// - t1+t2+t3: waited_each_seconds per operation, likewise;
/// - max(t1, t2), the time of one more operation without waits:
///   (waited_once_seconds - (t1+t2+t3)) / (n-1), likewise. It is t2 if it exceeds t1 by more than a
///   tenth;
/// - otherwise t2 < t1, which these times do not show: t2 is busy_seconds per operation or, if that
///   is unknown, the time of a waited-for operation beyond t1; at most t1;
/// - t3: the time of a waited-for operation, less t1 and t2; at least 0.
/// @throws UsageError if all runs have the same number of operations.
[[nodiscard]] train::BatchCost fit_increments(const std::vector<IncrementRun>& runs);

/// {t1_seconds, t2_seconds, t3_seconds, bottleneck}.
[[nodiscard]] Json to_json(const train::BatchCost& cost);

/// The runs of one number of operations, one per repeat, and the prediction of `cost`, which was
/// fitted to other runs, n(t1+t2+t3), and t1+n·t2+t3 or, if t2 < t1, n·t1+t2+t3: {operations,
/// waited_each_seconds, waited_once_seconds, issue_seconds, predicted_each_seconds,
/// predicted_once_seconds, error_each, error_once}. Measured times are {median, min, max, count}.
/// An error is that of the shortest time: shortest / predicted - 1.
/// @throws UsageError if there is no run.
[[nodiscard]] Json to_json(const std::vector<IncrementRun>& runs, const train::BatchCost& cost);

/// Runs of y = x + 1 for several numbers of operations, repeat by repeat: some to fit the costs to,
/// and others to predict with them. Any thread may read what has been measured.
class IncrementSeries {
 public:
  /// @param fitted  At least two different numbers. @param predicted  At least one.
  IncrementSeries(std::vector<std::int64_t> fitted, std::vector<std::int64_t> predicted);

  /// Runs one repeat, each number once. On the front end's thread; nothing may be in flight.
  void measure(DeviceSession& device, const IncrementProgram& program);
  /// Forgets what was measured.
  void clear();

  /// The costs fitted to all repeats; nullopt before the end of the first.
  [[nodiscard]] std::optional<train::BatchCost> cost() const;
  /// The runs to be predicted, one list per number of operations.
  [[nodiscard]] std::vector<std::vector<IncrementRun>> runs() const;
  /// to_json of the cost, and `runs`; null before the end of the first repeat.
  [[nodiscard]] Json to_json() const;

 private:
  const std::vector<std::int64_t> fitted_;
  const std::vector<std::int64_t> predicted_;
  mutable std::mutex mutex_{};
  std::vector<IncrementRun> fitted_runs_{};        ///< Of completed repeats.
  std::vector<std::vector<IncrementRun>> runs_{};  ///< Likewise; by the index in predicted_.
};

}  // namespace runahead::experiment
