#pragma once

#include <functional>
#include <memory>

#include "core/train/batch_source.h"

namespace runahead::train {

/// Batches of any source, each after a delay: a disk or a network that the front end waits for, or
/// work of its own.
class SlowSource final : public BatchSource {
 public:
  /// @param delay  Called on the thread that asks for a batch, before each; blocks it meanwhile.
  /// @throws UsageError unless both are there.
  SlowSource(std::unique_ptr<BatchSource> source, std::function<void()> delay);

  Batch next() override;

 private:
  std::unique_ptr<BatchSource> source_;
  std::function<void()> delay_;
};

}  // namespace runahead::train
