#pragma once

#include <torch/types.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

#include "core/config/experiment_config.h"
#include "core/train/adaptive_depth.h"
#include "core/train/adaptive_window.h"
#include "core/train/back_end.h"
#include "core/train/wait.h"

namespace runahead::train {

/// A batch whose every operation was issued.
struct IssuedBatch {
  torch::Tensor loss{};          ///< A detached scalar on the device.
  std::uint64_t bytes = 0;       ///< Of its inputs and targets.
  std::uint64_t kept_bytes = 0;  ///< See Batch::kept_bytes.
};

/// Decides where the front end waits. Told of each batch; may block in both calls. Used by the
/// front end's thread only. Each wait may rethrow the error of an operation issued earlier.
class SyncPolicy {
 public:
  virtual ~SyncPolicy() = default;
  /// Before anything of the next batch is issued, its data included.
  virtual void before_batch() {}
  /// After everything of `batch` was issued.
  virtual void after_batch(const IssuedBatch& batch) = 0;
};

/// Never waits: the loop's owner waits at the end. Also what `budget` is on this side where the
/// device holds each operation at its admission.
class NoWaitPolicy final : public SyncPolicy {
 public:
  void after_batch(const IssuedBatch&) override {}
};

/// Waits after every n-th batch, n >= 1; `every_batch` is n = 1.
class EveryNPolicy final : public SyncPolicy {
 public:
  /// @throws UsageError unless n >= 1 and `wait` is callable.
  EveryNPolicy(std::int64_t n, Wait wait);
  void after_batch(const IssuedBatch& batch) override;

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
  void after_batch(const IssuedBatch& batch) override;

 private:
  std::size_t batches_;
  BackEnd& back_end_;
  std::deque<std::unique_ptr<Mark>> in_flight_{};  ///< At most batches_ marks, oldest first.
};

/// Told once of something that the user should know. On the front end's thread; may be empty.
using Notice = std::function<void(const std::string& text)>;

/// Before a batch is issued, so many batches have finished, oldest first, that those in flight and
/// one more like the last stay within a budget of bytes: `budget` where the device does not hold
/// operations at their admission itself (`cuda`). Never waits for more than that. A batch that
/// keeps more than the budget runs alone, which is noticed once; where batches differ, they pass
/// the budget by no more than one keeps more than the one before.
///
/// Counted is what a batch keeps (Batch::kept_bytes), from the end of its issue until its last
/// operation has finished: its staging on the host (pinned memory, while a copy that nobody waited
/// for may read it), and deferred frees on the device (memory that a second stream has used). Where
/// copies block, as from pageable memory, where buffers are used again, and where one stream does
/// everything, a batch keeps nothing and never waits. Not counted is memory that one stream reuses
/// in its order, and that so does not grow with the batches in flight (activations, gradients,
/// workspaces); what the program itself holds; and batches prepared ahead, whose number
/// `data.prefetch` bounds.
class BudgetPolicy final : public SyncPolicy {
 public:
  /// @param key  Of the config, where the budget is set: for the notice.
  /// @throws UsageError unless bytes >= 1.
  BudgetPolicy(std::uint64_t bytes, BackEnd& back_end, Notice on_notice = {},
               std::string key = "/sync/bytes");
  void before_batch() override;
  void after_batch(const IssuedBatch& batch) override;

 private:
  struct InFlight {
    std::unique_ptr<Mark> mark{};
    std::uint64_t bytes = 0;
  };

  void drop_oldest();
  void note_oversize();

  std::uint64_t bytes_;  ///< The budget.
  BackEnd& back_end_;
  Notice on_notice_;
  std::string key_;
  std::deque<InFlight> in_flight_{};  ///< That keep something, oldest first; cleaned at each batch.
  std::uint64_t in_flight_bytes_ = 0;
  std::uint64_t last_bytes_ = 0;
  bool has_noted_oversize_ = false;
};

/// Waits nowhere: the device holds each operation at its admission, at the depth that `depth`
/// chooses after each batch.
class AdaptivePolicy final : public SyncPolicy {
 public:
  /// `depth` must outlive the policy.
  explicit AdaptivePolicy(AdaptiveDepth& depth) : depth_(depth) {}
  void before_batch() override;
  void after_batch(const IssuedBatch& batch) override;

 private:
  AdaptiveDepth& depth_;
  bool has_begun_ = false;
};

/// `adaptive` where the loop sees batches only (`cuda`): before a batch is issued, so many have
/// finished, oldest first, that as many are in flight as `window` chooses after each; never a
/// drain. What batches keep stays below a ceiling, as with BudgetPolicy.
class AdaptiveWindowPolicy final : public SyncPolicy {
 public:
  /// `window` and `back_end` must outlive the policy. @throws UsageError unless ceiling_bytes >= 1.
  AdaptiveWindowPolicy(AdaptiveWindow& window, std::uint64_t ceiling_bytes, BackEnd& back_end,
                       Notice on_notice = {});
  void before_batch() override;
  void after_batch(const IssuedBatch& batch) override;

 private:
  void drop_finished();

  AdaptiveWindow& window_;
  BudgetPolicy ceiling_;
  BackEnd& back_end_;
  std::deque<std::unique_ptr<Mark>> in_flight_{};  ///< Oldest first; as many as were chosen.
  bool was_held_ = false;                          ///< By the window, before the present batch.
};

/// What policies wait by, choose with and speak through.
struct PolicySurroundings {
  BackEnd& back_end;
  std::ostream& sink;  ///< See make_wait.
  /// For `adaptive`, of the device: the one where it bounds operations, the other where the loop
  /// bounds batches; both null where nothing is ever in flight, so that there is nothing to choose.
  AdaptiveDepth* depth = nullptr;
  AdaptiveWindow* window = nullptr;
  Notice on_notice{};
};

/// The policy of `config`. What `surroundings` refers to must outlive it.
[[nodiscard]] std::unique_ptr<SyncPolicy> make_sync_policy(const config::SyncConfig& config,
                                                           const PolicySurroundings& surroundings);

}  // namespace runahead::train
