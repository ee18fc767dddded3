#include "core/train/policies/cost_model.h"

#include <algorithm>

namespace runahead::train {
namespace {

/// Batches from one wait to the next, including the awaited one.
std::int64_t group_size(const CostShape& shape, std::int64_t batches) {
  return std::min(shape.batches_per_wait.value_or(batches), batches);
}

/// Time of a batch among others that are not waited for.
double batch_seconds(const BatchCost& cost, const CostShape& shape) {
  const double slower = std::max(cost.t1_seconds, cost.t2_seconds);
  if (!shape.batches_in_flight) return slower;
  const double turn = cost.t1_before_seconds + cost.t2_seconds + cost.t3_seconds;
  return std::max(slower, turn / static_cast<double>(*shape.batches_in_flight));
}

/// Time from the beginning of a group to the beginning of the next.
double group_seconds(const BatchCost& cost, const CostShape& shape, std::int64_t group) {
  const double batch = batch_seconds(cost, shape);
  const double result = cost.t1_before_seconds + static_cast<double>(group - 1) * batch +
                        cost.t2_result_seconds + cost.t3_seconds;
  return std::max(static_cast<double>(group) * batch, result);
}

/// Time from the beginning of the last group until nothing is in flight.
double last_group_seconds(const BatchCost& cost, const CostShape& shape, std::int64_t group) {
  const double others = static_cast<double>(group - 1) * batch_seconds(cost, shape);
  const double alone = std::max(cost.t1_seconds, cost.t1_before_seconds + cost.t2_seconds);
  return others + alone + cost.t3_seconds;
}

}  // namespace

Bottleneck bottleneck(const BatchCost& cost) noexcept {
  return cost.t2_seconds > cost.t1_seconds ? Bottleneck::kBackEnd : Bottleneck::kFrontEnd;
}

double predicted_total_seconds(const BatchCost& cost, const CostShape& shape,
                               std::int64_t batches) {
  if (batches == 0) return 0.0;
  const std::int64_t group = group_size(shape, batches);
  const std::int64_t last = (batches - 1) % group + 1;
  return static_cast<double>((batches - last) / group) * group_seconds(cost, shape, group) +
         last_group_seconds(cost, shape, last);
}

double predicted_batches_queued(const BatchCost& cost, const CostShape& shape,
                                std::int64_t batches) {
  if (batches == 0) return 0.0;
  const auto issued = static_cast<double>(group_size(shape, batches));
  if (bottleneck(cost) == Bottleneck::kFrontEnd) return 1.0;
  const double executed = (issued * cost.t1_seconds - cost.t1_before_seconds) / cost.t2_seconds;
  const double queued = std::max(issued - executed, 1.0);
  if (!shape.batches_in_flight) return queued;
  return std::min(queued, static_cast<double>(*shape.batches_in_flight));
}

}  // namespace runahead::train
