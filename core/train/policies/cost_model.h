#pragma once

#include <cstdint>
#include <optional>

/// The model of a front end and a back end from d2l's MXNet edition. A batch costs t1 to issue, t2
/// to execute and t3 to return its result. n batches take n(t1+t2+t3) if each is waited for. If
/// none is, they take t1 + n·t2 + t3 if t2 > t1, otherwise n·t1 + t2 + t3.
///
/// These formulas assume that the two sides take turns within a batch. In fact they overlap there
/// too: the back end begins when the first operation is issued, t1' into t1, and the awaited result
/// may be ready t2' into t2 (the loss, before its backward pass). A batch that is waited for
/// therefore takes max(t1, t2, t1'+t2'+t3). With t1' = t1 and t2' = t2 this is the sum, which is
/// the chapter's formula.
namespace runahead::train {

/// The cost of one batch, in seconds.
struct BatchCost {
  double t1_seconds = 0.0;         ///< The front end issues it (including its data).
  double t2_seconds = 0.0;         ///< The back end executes it.
  double t3_seconds = 0.0;         ///< Its result is returned to the front end.
  double t1_before_seconds = 0.0;  ///< t1': the part of t1 before the back end has any work.
  double t2_result_seconds = 0.0;  ///< t2': the part of t2 until the awaited result is computed.
};

/// How a sync policy shapes a loop, as the model sees it.
struct CostShape {
  std::optional<std::int64_t> batches_per_wait{};   ///< For a result; nullopt: at the end only.
  std::optional<std::int64_t> batches_in_flight{};  ///< At most; nullopt: any number.
  bool predicts_backlog = true;                     ///< False: the policy finds its bound itself.
};

/// The side that determines how long a batch takes without a wait.
enum class Bottleneck { kFrontEnd, kBackEnd };
[[nodiscard]] Bottleneck bottleneck(const BatchCost& cost) noexcept;

/// Time for `batches` batches until the back end is idle. With a wait every n batches, each group
/// of n runs without a wait inside it. With a window of w batches, no batch takes less than
/// (t1'+t2+t3)/w. A budget enforced by the device costs no time in this model.
[[nodiscard]] double predicted_total_seconds(const BatchCost& cost, const CostShape& shape,
                                             std::int64_t batches);

/// The most batches queued at the end of an issue, including fractions. For n batches without a
/// wait it is n − (n·t1 − t1')/t2, because by then the back end has had n·t1 − t1' seconds to work.
/// It is at least 1 for n >= 1, and at most the window. If batches are waited for, it excludes what
/// is left of the previous batch (see BatchBytes::after_result).
[[nodiscard]] double predicted_batches_queued(const BatchCost& cost, const CostShape& shape,
                                              std::int64_t batches);

}  // namespace runahead::train
