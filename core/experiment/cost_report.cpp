#include "core/experiment/cost_report.h"

#include <algorithm>

#include "core/train/backlog_model.h"
#include "core/train/policies/cost_model.h"

namespace runahead::experiment {
namespace {

bool reuses_in_stream_order(config::Allocation allocation) {
  return allocation == config::Allocation::kInStreamOrder ||
         allocation == config::Allocation::kCaching;
}

using train::BatchBytes;
using train::BatchCost;
using train::BatchEvents;
using train::CostShape;

constexpr std::int64_t kFittedBatches = 20;

/// measured / predicted - 1.
std::optional<double> error_of(const auto& measured, const auto& predicted) {
  if (!measured || !predicted || *predicted <= 0) return std::nullopt;
  return static_cast<double>(*measured) / static_cast<double>(*predicted) - 1.0;
}

/// If operations have finished when their call returns, every policy waits for each batch.
CostShape shape_of(const config::SyncConfig& sync, const CostContext& context) {
  if (context.loop.executes_at_issue) return {.batches_per_wait = 1};
  return sync->cost_shape({.batches = context.batches,
                           .batch_kept_bytes = context.batch_kept_bytes,
                           .loop_keeps_budget = context.loop_keeps_budget});
}

/// The model of one run, fitted.
class RunModel {
 public:
  RunModel(const std::vector<BatchEvents>& first, const BatchCost& cost, const CostContext& context)
      : first_(first), cost_(cost), context_(context), bytes_(fit_bytes()) {}

  [[nodiscard]] double total_seconds(const CostShape& shape) const {
    return train::predicted_total_seconds(cost_, shape, context_.batches);
  }

  [[nodiscard]] std::optional<std::uint64_t> backlog_bytes(const CostShape& shape) const {
    if (!bytes_ || !shape.predicts_backlog) return std::nullopt;
    const std::uint64_t bytes =
        train::predicted_backlog_bytes(*bytes_, cost_, shape, context_.batches);
    return context_.limit_bytes ? std::min(bytes, beyond_trained_state(*context_.limit_bytes))
                                : bytes;
  }

  /// From the start of the clock to the end of the last fitted batch.
  [[nodiscard]] double fitted_seconds() const {
    return seconds_between(context_.started, first_.back().finished);
  }
  /// Predicted time of the later batches under the run's own policy; nullopt if there are none.
  [[nodiscard]] std::optional<double> rest_seconds() const {
    const auto fitted = static_cast<std::int64_t>(first_.size());
    const CostShape shape = own_shape();
    if (context_.batches <= fitted) return std::nullopt;
    return train::predicted_total_seconds(cost_, shape, context_.batches) -
           train::predicted_total_seconds(cost_, shape, fitted);
  }
  /// The run's own policy: the modelled backlog, or the peak of the fitted batches if that is more.
  [[nodiscard]] std::optional<std::uint64_t> own_backlog_bytes() const {
    const auto modelled = backlog_bytes(own_shape());
    return modelled ? std::optional(std::max(*modelled, fitted_peak_bytes())) : std::nullopt;
  }

 private:
  [[nodiscard]] CostShape own_shape() const { return shape_of(context_.config.sync, context_); }

  [[nodiscard]] std::uint64_t beyond_trained_state(std::uint64_t bytes) const {
    return bytes - std::min(bytes, context_.trained_state_bytes);
  }

  [[nodiscard]] std::uint64_t fitted_peak_bytes() const {
    return beyond_trained_state(first_.back().when_returned->peak);
  }

  [[nodiscard]] std::optional<BatchBytes> fit_bytes() const {
    if (context_.loop.executes_at_issue) return std::nullopt;
    const auto each = train::fit_batch_bytes(first_, context_.loop.waits_for_loss_alone);
    if (!each || !reuses_in_stream_order(context_.config.acpu.allocation)) return each;
    return train::fit_batch_bytes_in_stream_order(
        context_.loop.makes_data_on_device ? 0 : context_.batch_bytes, fitted_peak_bytes(), cost_,
        own_shape(), static_cast<std::int64_t>(first_.size()));
  }

  const std::vector<BatchEvents>& first_;
  const BatchCost& cost_;
  const CostContext& context_;
  std::optional<BatchBytes> bytes_;
};

Json predictions_of(const RunModel& model, const CostContext& context) {
  Json predictions = Json::object();
  for (const char* name : {"none", "every_batch"}) {
    const CostShape shape = shape_of(config::SyncConfig(name), context);
    predictions[name] = {{"total_seconds", model.total_seconds(shape)},
                         {"backlog_bytes", or_null(model.backlog_bytes(shape))}};
  }
  return predictions;
}

}  // namespace

std::size_t fitted_batches(std::int64_t batches) noexcept {
  return static_cast<std::size_t>(std::clamp(batches / 2, std::int64_t{1}, kFittedBatches));
}

void report_costs(const std::vector<BatchEvents>& first, const CostContext& context,
                  record::Record& record) {
  const auto cost = train::fit_batch_cost(first, context.loop, context.t3_seconds.value_or(0.0));
  if (!cost) return;
  record.time.t1_seconds = cost->t1_seconds;
  record.time.t2_seconds = cost->t2_seconds;
  if (!context.t3_seconds) return;
  record.time.t3_seconds = cost->t3_seconds;

  const RunModel model(first, *cost, context);
  const std::optional<double> rest = model.rest_seconds();
  if (rest) record.time.predicted_total_seconds = model.fitted_seconds() + *rest;
  record.backlog.predicted_bytes_peak = model.own_backlog_bytes();
  std::optional<double> measured_rest;
  std::optional<std::uint64_t> measured_bytes;
  if (record.status == record::Status::kOk && record.time.total_seconds) {
    measured_rest = *record.time.total_seconds - model.fitted_seconds();
    measured_bytes = record.backlog.bytes_peak;
  }
  const bool is_front_end = train::bottleneck(*cost) == train::Bottleneck::kFrontEnd;
  record.results["cost_model"] = {
      {"fitted_batches", first.size()},
      {"bottleneck", is_front_end ? "front_end" : "back_end"},
      {"t1_before_seconds", cost->t1_before_seconds},
      {"t2_result_seconds", cost->t2_result_seconds},
      {"predictions", predictions_of(model, context)},
      {"total_error", or_null(error_of(measured_rest, rest))},
      {"backlog_error", or_null(error_of(measured_bytes, record.backlog.predicted_bytes_peak))}};
}

}  // namespace runahead::experiment
