#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "core/train/loop_observer.h"

namespace runahead::train {

/// Losses that stay on the device between log steps: a training loop that logs keeps one scalar per
/// batch, and reads them all together once per interval. Used by the front end's thread only.
class LossLog {
 public:
  /// @param every  Batches from one reading to the next, >= 1.
  /// @throws UsageError otherwise.
  explicit LossLog(std::int64_t every);

  /// Keeps `loss`, a detached scalar on the device. Every `every`-th call reads all kept losses,
  /// which waits for them and may rethrow the error of an earlier operation.
  /// @return true if it read them: means() then has one more.
  bool add(const torch::Tensor& loss);

  /// The mean loss of each reading, oldest first; only the latest kMostMeans.
  [[nodiscard]] const std::vector<double>& means() const noexcept { return means_; }
  /// Number of losses on the device not read yet; below `every`.
  [[nodiscard]] std::size_t kept() const noexcept { return kept_.size(); }

  static constexpr std::size_t kMostMeans = 1000;

 private:
  void read();

  std::size_t every_;
  std::vector<torch::Tensor> kept_{};
  std::vector<double> means_{};
};

/// Logs the losses of a loop.
class LossLogger final : public LoopObserver {
 public:
  /// Receives LossLog::means() after each reading, on the front end's thread; may be empty.
  using OnRead = std::function<void(const std::vector<double>& means)>;

  /// @param every  As LossLog's. @throws UsageError unless every >= 1.
  LossLogger(std::int64_t every, OnRead on_read) : log_(every), on_read_(std::move(on_read)) {}
  void after_wait(const IssuedBatch& batch) override;

 private:
  LossLog log_;
  OnRead on_read_;
};

}  // namespace runahead::train
