#include "core/train/backlog_model.h"

#include <algorithm>
#include <cmath>

#include "core/base/statistics.h"

namespace runahead::train {
namespace {

std::uint64_t rounded(double bytes) { return static_cast<std::uint64_t>(std::llround(bytes)); }

double difference(std::uint64_t from, std::uint64_t to) {
  return static_cast<double>(to) - static_cast<double>(from);
}

}  // namespace

std::optional<BatchBytes> fit_batch_bytes(const std::vector<BatchEvents>& batches,
                                          bool waits_for_loss_alone) {
  std::vector<double> queued;
  std::vector<double> after_result;
  for (const BatchEvents& batch : batches) {
    if (!batch.when_admitted || !batch.when_issued || !batch.when_computed ||
        !batch.when_finished) {
      return std::nullopt;
    }
    queued.push_back(difference(batch.when_admitted->claimed, batch.when_issued->claimed));
    after_result.push_back(
        difference(batch.when_computed->released, batch.when_finished->released));
  }
  if (queued.empty()) return std::nullopt;
  return BatchBytes{.queued = rounded(median(queued)),
                    .after_result = waits_for_loss_alone ? rounded(median(after_result)) : 0};
}

BatchBytes fit_batch_bytes_in_stream_order(std::uint64_t input_bytes, std::uint64_t peak_bytes,
                                           const BatchCost& cost, const CostShape& shape,
                                           std::int64_t batches) {
  const std::uint64_t queued =
      rounded(predicted_batches_queued(cost, shape, batches) * static_cast<double>(input_bytes));
  return {.queued = input_bytes, .working_set = peak_bytes - std::min(peak_bytes, queued)};
}

std::uint64_t predicted_backlog_bytes(const BatchBytes& bytes, const BatchCost& cost,
                                      const CostShape& shape, std::int64_t batches) {
  if (batches == 0) return 0;
  const double queued =
      predicted_batches_queued(cost, shape, batches) * static_cast<double>(bytes.queued);
  const bool is_followed = shape.batches_per_wait.has_value() && batches > 1;
  return rounded(queued) + (is_followed ? bytes.after_result : 0) + bytes.working_set;
}

}  // namespace runahead::train
