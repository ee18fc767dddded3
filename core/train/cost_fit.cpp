#include "core/train/cost_fit.h"

#include <algorithm>

#include "core/base/statistics.h"

namespace runahead::train {
namespace {

template <typename Value>
double median_over(const std::vector<BatchEvents>& batches, Value&& value_of) {
  std::vector<double> values;
  values.reserve(batches.size());
  for (std::size_t i = 0; i < batches.size(); ++i) values.push_back(value_of(i));
  return median(values);
}

/// When the back end could start on a batch.
TimePoint could_begin(const std::vector<BatchEvents>& batches, std::size_t i) {
  return i == 0 ? batches[i].made : std::max(batches[i].made, batches[i - 1].finished);
}

/// The part of [could_begin, issued] in which nothing was executing.
double idle_seconds(const std::vector<BatchEvents>& batches, std::size_t i) {
  const BatchEvents& batch = batches[i];
  const TimePoint begin = could_begin(batches, i);
  const TimePoint end = std::min(batch.issued, batch.finished);
  if (end <= begin || !batch.busy_seconds_when_issued) return 0.0;
  const double busy_before = i == 0 ? 0.0 : *batches[i - 1].busy_seconds_when_finished;
  const double busy = *batch.busy_seconds_when_issued - busy_before;
  return std::max(seconds_between(begin, end) - busy, 0.0);
}

double executing_seconds(const std::vector<BatchEvents>& batches, std::size_t i) {
  return seconds_between(could_begin(batches, i), batches[i].finished) - idle_seconds(batches, i);
}

double result_share(const std::vector<BatchEvents>& batches, std::size_t i) {
  const TimePoint begin = could_begin(batches, i);
  const double whole = seconds_between(begin, batches[i].finished);
  if (whole <= 0.0) return 1.0;
  return std::clamp(seconds_between(begin, batches[i].computed) / whole, 0.0, 1.0);
}

double return_seconds(const std::vector<BatchEvents>& batches, const LoopKind& loop,
                      double otherwise) {
  std::vector<double> values;
  for (const BatchEvents& batch : batches) {
    const TimePoint result = loop.waits_for_loss_alone ? batch.computed : batch.finished;
    if (result <= batch.issued || batch.returned < result) continue;
    values.push_back(seconds_between(result, batch.returned));
  }
  return values.empty() ? otherwise : median(values);
}

}  // namespace

std::optional<BatchCost> fit_batch_cost(const std::vector<BatchEvents>& batches,
                                        const LoopKind& loop, double t3_seconds) {
  if (batches.empty()) return std::nullopt;
  const double data_seconds = median_over(batches, [&](std::size_t i) {
    return seconds_between(batches[i].admitted, batches[i].made);
  });
  const double issue_seconds = median_over(batches, [&](std::size_t i) {
    return seconds_between(batches[i].admitted, batches[i].issued) - batches[i].waited_seconds;
  });
  BatchCost cost{.t3_seconds = t3_seconds};
  if (loop.executes_at_issue) {
    cost.t1_seconds = cost.t1_before_seconds = data_seconds;
    cost.t2_seconds = cost.t2_result_seconds = issue_seconds - data_seconds;
    return cost;
  }
  cost.t1_seconds = issue_seconds;
  cost.t1_before_seconds = loop.makes_data_on_device ? 0.0 : data_seconds;
  cost.t2_seconds =
      median_over(batches, [&](std::size_t i) { return executing_seconds(batches, i); });
  const double share =
      loop.waits_for_loss_alone
          ? median_over(batches, [&](std::size_t i) { return result_share(batches, i); })
          : 1.0;
  cost.t2_result_seconds = share * cost.t2_seconds;
  cost.t3_seconds = return_seconds(batches, loop, t3_seconds);
  return cost;
}

}  // namespace runahead::train
