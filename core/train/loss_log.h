#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/train/loop_observer.h"

namespace runahead::train {

/// Logs the losses of a loop. They stay on the device between log steps: a training loop that logs
/// keeps one scalar per batch, and reads them all together once per interval.
class LossLog final : public LoopObserver {
 public:
  /// Receives the mean loss of each reading, oldest first and only the latest kMostMeans, after
  /// each reading, on the front end's thread; may be empty.
  using OnRead = std::function<void(const std::vector<double>& means)>;

  static constexpr std::size_t kMostMeans = 1000;

  /// @param every  Batches from one reading to the next, >= 1. @throws UsageError otherwise.
  LossLog(std::int64_t every, OnRead on_read);

  /// Keeps the batch's loss. Every `every`-th call reads all kept losses, which waits for them and
  /// may rethrow the error of an earlier operation.
  void after_wait(const IssuedBatch& batch) override;

 private:
  std::size_t every_;
  OnRead on_read_;
  std::vector<torch::Tensor> kept_{};
  std::vector<double> means_{};
};

}  // namespace runahead::train
