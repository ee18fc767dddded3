#pragma once

#include <memory>

#include "core/train/batch_source.h"

namespace runahead::data {

/// A source that takes `seconds_per_batch` longer, asleep, before each batch.
class SlowSource final : public train::BatchSource {
 public:
  /// @throws UsageError unless `seconds_per_batch` >= 0 and `source` is there.
  SlowSource(std::unique_ptr<train::BatchSource> source, double seconds_per_batch);
  train::Batch next() override;

 private:
  std::unique_ptr<train::BatchSource> source_;
  double seconds_per_batch_;
};

}  // namespace runahead::data
