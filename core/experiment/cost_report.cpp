#include "core/experiment/cost_report.h"

#include <algorithm>

#include "core/train/backlog_model.h"
#include "core/train/cost_model.h"

namespace runahead::experiment {
namespace {

using config::SyncConfig;
using config::SyncPolicyKind;
using train::BatchBytes;
using train::BatchCost;
using train::BatchEvents;

constexpr std::int64_t kFittedBatches = 20;

Json json_of(const auto& value) { return value ? Json(*value) : Json(nullptr); }

/// Measured over predicted, less 1.
std::optional<double> error_of(const auto& measured, const auto& predicted) {
  if (!measured || !predicted || *predicted <= 0) return std::nullopt;
  return static_cast<double>(*measured) / static_cast<double>(*predicted) - 1.0;
}

/// The model of one run, fitted.
class RunModel {
 public:
  RunModel(const std::vector<BatchEvents>& first, const BatchCost& cost, const CostContext& context)
      : first_(first), cost_(cost), context_(context), bytes_(fit_bytes()) {}

  [[nodiscard]] double total_seconds(const SyncConfig& sync) const {
    return train::predicted_total_seconds(cost_, effective(sync), context_.config.batches);
  }

  [[nodiscard]] std::optional<std::uint64_t> backlog_bytes(const SyncConfig& sync) const {
    if (!bytes_ || sync.policy == SyncPolicyKind::kAdaptive) return std::nullopt;
    const std::uint64_t bytes =
        train::predicted_backlog_bytes(*bytes_, cost_, effective(sync), context_.config.batches);
    return context_.limit_bytes ? std::min(bytes, beyond_trained_state(*context_.limit_bytes))
                                : bytes;
  }

  /// From the start of the clock to the end of the last fitted batch.
  [[nodiscard]] double fitted_seconds() const {
    return seconds_between(context_.started, first_.back().finished);
  }
  /// What comes after it, of the run's own policy; nullopt if nothing does.
  [[nodiscard]] std::optional<double> rest_seconds() const {
    const auto fitted = static_cast<std::int64_t>(first_.size());
    const SyncConfig sync = effective(context_.config.sync);
    if (context_.config.batches <= fitted) return std::nullopt;
    return train::predicted_total_seconds(cost_, sync, context_.config.batches) -
           train::predicted_total_seconds(cost_, sync, fitted);
  }
  /// Of the run's own policy: as modelled, or what the fitted batches had claimed if that is more.
  [[nodiscard]] std::optional<std::uint64_t> own_backlog_bytes() const {
    const auto modelled = backlog_bytes(context_.config.sync);
    return modelled ? std::optional(std::max(*modelled, fitted_peak_bytes())) : std::nullopt;
  }

 private:
  /// Where operations have finished when their call returns, every policy waits for each batch. A
  /// budget that the loop keeps is a window of the batches that fit into it; of batches that keep
  /// nothing it waits for none.
  [[nodiscard]] SyncConfig effective(const SyncConfig& sync) const {
    if (context_.loop.executes_at_issue) return {.policy = SyncPolicyKind::kEveryBatch};
    if (sync.policy != SyncPolicyKind::kBudget || !context_.loop_keeps_budget) return sync;
    if (context_.batch_kept_bytes == 0) return {.policy = SyncPolicyKind::kNone};
    const std::uint64_t batches = sync.bytes / context_.batch_kept_bytes;
    return {.policy = SyncPolicyKind::kWindow,
            .batches = std::clamp(static_cast<std::int64_t>(batches), std::int64_t{1},
                                  std::max<std::int64_t>(context_.config.batches, 1))};
  }

  [[nodiscard]] std::uint64_t beyond_trained_state(std::uint64_t bytes) const {
    return bytes - std::min(bytes, context_.trained_state_bytes);
  }

  [[nodiscard]] std::uint64_t fitted_peak_bytes() const {
    return beyond_trained_state(first_.back().when_returned->peak);
  }

  [[nodiscard]] std::optional<BatchBytes> fit_bytes() const {
    if (context_.loop.executes_at_issue) return std::nullopt;
    const auto each = train::fit_batch_bytes(first_, context_.loop.waits_for_loss_alone);
    if (!each || context_.config.acpu.allocation != config::Allocation::kInStreamOrder) return each;
    return train::fit_batch_bytes_in_stream_order(
        context_.loop.makes_data_on_device ? 0 : context_.batch_bytes, fitted_peak_bytes(), cost_,
        context_.config.sync, static_cast<std::int64_t>(first_.size()));
  }

  const std::vector<BatchEvents>& first_;
  const BatchCost& cost_;
  const CostContext& context_;
  std::optional<BatchBytes> bytes_;
};

Json predictions_of(const RunModel& model, const CostContext& context) {
  const SyncConfig none{.policy = SyncPolicyKind::kNone};
  const SyncConfig every_batch{.policy = SyncPolicyKind::kEveryBatch,
                               .wait = context.config.sync.wait};
  Json predictions = Json::object();
  for (const auto& [name, sync] :
       {std::pair("none", none), std::pair("every_batch", every_batch)}) {
    predictions[name] = {{"total_seconds", model.total_seconds(sync)},
                         {"backlog_bytes", json_of(model.backlog_bytes(sync))}};
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
      {"total_error", json_of(error_of(measured_rest, rest))},
      {"backlog_error", json_of(error_of(measured_bytes, record.backlog.predicted_bytes_peak))}};
}

}  // namespace runahead::experiment
