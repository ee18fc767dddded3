#pragma once

#include <torch/types.h>

#include <cstdint>
#include <deque>
#include <iosfwd>
#include <memory>

#include "core/config/experiment_config.h"
#include "core/train/adaptive_depth.h"
#include "core/train/back_end.h"
#include "core/train/wait.h"

namespace runahead::train {

/// Decides where the front end waits. Told of each batch; may block in both calls. Used by the
/// front end's thread only. Each wait may rethrow the error of an operation issued earlier.
class SyncPolicy {
 public:
  virtual ~SyncPolicy() = default;
  /// Before anything of the next batch is issued, its data included.
  virtual void before_batch() {}
  /// After everything of a batch was issued. `loss`: its loss, a detached scalar on the device.
  virtual void after_batch(const torch::Tensor& loss) = 0;
};

/// Never waits: the loop's owner waits at the end. Also what `budget` is on this side: there the
/// device holds each operation at its admission.
class NoWaitPolicy final : public SyncPolicy {
 public:
  void after_batch(const torch::Tensor&) override {}
};

/// Waits after every n-th batch, n >= 1; `every_batch` is n = 1.
class EveryNPolicy final : public SyncPolicy {
 public:
  /// @throws UsageError unless n >= 1 and `wait` is callable.
  EveryNPolicy(std::int64_t n, Wait wait);
  void after_batch(const torch::Tensor& loss) override;

 private:
  std::int64_t n_;
  Wait wait_;
  std::int64_t batches_since_wait_ = 0;
};

/// Before batch i is issued, batch i - n has finished: at most n batches in flight, and never a
/// drain. n = 1 is a wait per batch. (FSDP's rate limiter has n = 2, XLA's CPU client 32.)
class WindowPolicy final : public SyncPolicy {
 public:
  /// @throws UsageError unless batches >= 1.
  WindowPolicy(std::int64_t batches, BackEnd& back_end);
  void before_batch() override;
  void after_batch(const torch::Tensor& loss) override;

 private:
  std::size_t batches_;
  BackEnd& back_end_;
  std::deque<std::unique_ptr<Mark>> in_flight_{};  ///< At most batches_ marks, oldest first.
};

/// Waits nowhere: the device holds each operation at its admission, at the depth that `depth`
/// chooses after each batch.
class AdaptivePolicy final : public SyncPolicy {
 public:
  /// `depth` must outlive the policy.
  explicit AdaptivePolicy(AdaptiveDepth& depth) : depth_(depth) {}
  void before_batch() override;
  void after_batch(const torch::Tensor& loss) override;

 private:
  AdaptiveDepth& depth_;
  bool has_begun_ = false;
};

/// The policy of `config`. `back_end`, `sink` (see make_wait) and `depth` must outlive it.
/// @param depth  For `adaptive`: of the device; null where nothing is ever in flight, so that there
/// is nothing to choose.
[[nodiscard]] std::unique_ptr<SyncPolicy> make_sync_policy(const config::SyncConfig& config,
                                                           BackEnd& back_end, std::ostream& sink,
                                                           AdaptiveDepth* depth = nullptr);

}  // namespace runahead::train
