#pragma once

#include "core/config/experiment_config.h"
#include "core/config/experiment_kinds.h"

/// Descriptions of keys that several kinds of experiments have.
namespace runahead::config {

inline constexpr IntegerRange kSizes{1, 65'536};
inline constexpr IntegerRange kOperations{1, 10'000'000};

void describe_batches(ExperimentConfig& config, Fields& fields);
void describe_warmup_batches(ExperimentConfig& config, Fields& fields);

/// Whether a kind prepares batches ahead; the others have no key `data.prefetch`.
enum class Prefetch { kNo, kYes };
void describe_data(ExperimentConfig& config, Prefetch prefetch, Fields& fields);
void describe_model_and_data(ExperimentConfig& config, Prefetch prefetch, Fields& fields);
/// Describes the optimiser and the loss.
void describe_training(ExperimentConfig& config, Fields& fields);
/// Describes what turns a training run into a job: evaluation and checkpoints.
void describe_job(ExperimentConfig& config, Fields& fields);
void describe_sync(ExperimentConfig& config, Fields& fields);

void describe_size(ProgramConfig& program, Fields& fields);
void describe_shape(ProgramConfig& program, Fields& fields);
void describe_fitted_operations(ProgramConfig& program, Fields& fields);
void describe_seconds_per_increment(ProgramConfig& program, Fields& fields);
void describe_outputs(ProgramConfig& program, Fields& fields);
void describe_repeats(ProgramConfig& program, Fields& fields);

/// Describes a config through descriptions of its program.
template <typename... Group>
[[nodiscard]] DescribeKeys program_keys(Group... group) {
  return [group...](ExperimentConfig& config, Fields& fields) {
    (group(config.program, fields), ...);
  };
}

}  // namespace runahead::config
