#include "core/train/cost_model.h"

#include <algorithm>
#include <cmath>

namespace runahead::train {
namespace {

using config::SyncPolicyKind;

/// Batches from one wait to the next, the waited one included.
std::int64_t group_size(const config::SyncConfig& sync, std::int64_t batches) {
  switch (sync.policy) {
    case SyncPolicyKind::kEveryBatch:
      return 1;
    case SyncPolicyKind::kEveryN:
      return std::min(sync.n, batches);
    case SyncPolicyKind::kWindow:
      return sync.batches == 1 ? 1 : batches;
    case SyncPolicyKind::kNone:
    case SyncPolicyKind::kBudget:
    case SyncPolicyKind::kAdaptive:
      break;
  }
  return batches;
}

double group_seconds(const BatchCost& cost, std::int64_t batches) {
  if (batches == 0) return 0.0;
  const auto n = static_cast<double>(batches);
  const double overlapped = cost.t2_seconds > cost.t1_seconds
                                ? cost.t1_seconds + n * cost.t2_seconds
                                : n * cost.t1_seconds + cost.t2_seconds;
  return overlapped + cost.t3_seconds;
}

}  // namespace

double predicted_total_seconds(const BatchCost& cost, const config::SyncConfig& sync,
                               std::int64_t batches) {
  if (batches == 0) return 0.0;
  const std::int64_t group = group_size(sync, batches);
  return static_cast<double>(batches / group) * group_seconds(cost, group) +
         group_seconds(cost, batches % group);
}

std::int64_t predicted_batches_in_flight(const BatchCost& cost, const config::SyncConfig& sync,
                                         std::int64_t batches) {
  if (batches == 0) return 0;
  if (cost.t2_seconds <= cost.t1_seconds) return 1;
  const std::int64_t group = group_size(sync, batches);
  const double finished =
      std::floor(static_cast<double>(group - 1) * cost.t1_seconds / cost.t2_seconds);
  const std::int64_t in_flight = group - static_cast<std::int64_t>(finished);
  return sync.policy == SyncPolicyKind::kWindow ? std::min(in_flight, sync.batches) : in_flight;
}

std::uint64_t predicted_backlog_bytes(const BatchCost& cost, const config::SyncConfig& sync,
                                      std::int64_t batches, std::uint64_t batch_bytes) {
  const auto in_flight =
      static_cast<std::uint64_t>(predicted_batches_in_flight(cost, sync, batches));
  const std::uint64_t bytes = in_flight * batch_bytes;
  return sync.policy == SyncPolicyKind::kBudget ? std::min(bytes, sync.bytes) : bytes;
}

}  // namespace runahead::train
