#pragma once

#include <memory>

#include "core/train/batch_source.h"

namespace runahead::experiment {

/// Keeps the calling thread's CPU busy for at least `seconds`; not at all for 0 or less. What a
/// slow front end does: a sleep instead would let the CPU idle, and what comes after it would run
/// slower until it has woken up.
void work_for(double seconds);

/// A source before each of whose batches the front end works for `seconds_per_batch`.
class WorkingSource final : public train::BatchSource {
 public:
  /// @throws UsageError unless `seconds_per_batch` >= 0 and `source` is there.
  WorkingSource(std::unique_ptr<train::BatchSource> source, double seconds_per_batch);

  train::Batch next() override;

 private:
  std::unique_ptr<train::BatchSource> source_;
  double seconds_per_batch_;
};

}  // namespace runahead::experiment
