#pragma once

#include <cstdint>
#include <optional>

#include "core/config/experiment_config.h"

namespace runahead::train {

/// What one batch costs in seed 004's model of a front end and a back end, seconds.
struct BatchCost {
  double t1_seconds = 0.0;  ///< The front end issues it (its data included).
  double t2_seconds = 0.0;  ///< The back end executes it.
  double t3_seconds = 0.0;  ///< Its result is returned to the front end.
};

/// Time of `batches` batches. Each waited for: n·(t1+t2+t3). None waited for: t1 + n·t2 + t3 if
/// t2 > t1, else n·t1 + t2 + t3. `every_n` is groups of the second kind; a window of 2 or more
/// batches, and a budget, cost no time in this model.
[[nodiscard]] double predicted_total_seconds(const BatchCost& cost, const config::SyncConfig& sync,
                                             std::int64_t batches);

/// The most batches in flight at the end of an issue: n − ⌊(n−1)·t1/t2⌋ of a group of n that is not
/// waited for and t2 > t1 (by then the back end had (n−1)·t1 seconds to work), else 1; never more
/// than a window.
[[nodiscard]] std::int64_t predicted_batches_in_flight(const BatchCost& cost,
                                                       const config::SyncConfig& sync,
                                                       std::int64_t batches);

/// Bytes of the batches that run ahead, each of `batch_bytes`; never more than a budget.
[[nodiscard]] std::uint64_t predicted_backlog_bytes(const BatchCost& cost,
                                                    const config::SyncConfig& sync,
                                                    std::int64_t batches,
                                                    std::uint64_t batch_bytes);

}  // namespace runahead::train
