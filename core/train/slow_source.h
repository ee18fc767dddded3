#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/train/batch_source.h"

namespace runahead::train {

/// Batches of any source, each after a delay: a disk or a network that the front end waits for, or
/// the front end's own work.
class SlowSource final : public BatchSource {
 public:
  /// @param delay  Called before each batch on the requesting thread, which it blocks.
  /// @throws UsageError unless both are set.
  SlowSource(std::unique_ptr<BatchSource> source, std::function<void()> delay);

  Batch next() override;
  [[nodiscard]] std::optional<std::int64_t> batches_in_epoch() const override {
    return source_->batches_in_epoch();
  }
  void use_cpus(const std::vector<int>& cpus) override { source_->use_cpus(cpus); }
  void start_at(std::int64_t batch) override { source_->start_at(batch); }

 private:
  std::unique_ptr<BatchSource> source_;
  std::function<void()> delay_;
};

/// Returns the source unchanged for 0 seconds; otherwise a slow one that sleeps for that long
/// before each batch, like a disk or a network: it takes no CPU from the back end.
[[nodiscard]] std::unique_ptr<BatchSource> with_delay(std::unique_ptr<BatchSource> source,
                                                      double seconds_per_batch);

}  // namespace runahead::train
