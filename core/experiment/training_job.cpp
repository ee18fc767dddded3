#include "core/experiment/training_job.h"

#include <filesystem>
#include <string>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/experiment/device_session.h"
#include "core/train/loss.h"

namespace runahead::experiment {
namespace {

constexpr std::size_t kMostEvaluations = 1000;

/// The config for evaluation data: each example once, in the order of the files.
config::ExperimentConfig evaluation_data(config::ExperimentConfig config) {
  config::FilesConfig& files = config.data.files;
  files.inputs = config.evaluation.inputs;
  files.targets = config.evaluation.targets;
  files.section = "/evaluation";
  files.shuffle = false;
  files.last_batch = config::LastBatch::kKeep;
  files.loader_threads = 0;
  config.data.seconds_per_batch = 0.0;
  return config;
}

/// Settings that determine the parameters after a given number of batches.
Json job_of(const config::ExperimentConfig& config) {
  const Json all = config::to_json(config);
  Json job = {{"seed", all["seed"]},
              {"model", all["model"]},
              {"data", all["data"]},
              {"optimizer", all["optimizer"]},
              {"loss", all["loss"]}};
  for (const char* key : {"prefetch", "seconds_per_batch", "loader_threads", "loader_ahead"}) {
    job["data"].erase(key);
  }
  return job;
}

/// Before anything is trained, since the file is first written much later.
void require_writable(const std::string& path) {
  try {
    check_writable(path);
  } catch (const Error& error) {
    throw ConfigError("/checkpoint/path: " + std::string(error.what()) +
                      "; allowed: a file in a folder that can be written to; choose another path");
  }
}

}  // namespace

TrainingJob::TrainingJob(const ExperimentContext& context, train::Model& model,
                         torch::optim::Optimizer& optimizer)
    : context_(context), model_(model), optimizer_(optimizer) {
  if (context.config.evaluation.is_on) make_evaluator();
}

std::int64_t TrainingJob::resume() {
  const config::CheckpointConfig& config = context_.config.checkpoint;
  if (!config.is_on) return 0;
  const job::TrainingState state{.module = model_.module(),
                                 .optimizer = optimizer_,
                                 .device = context_.device.device(),
                                 .job = job_of(context_.config),
                                 .job_defaults = job_of(config::ExperimentConfig())};
  require_writable(config.path);
  if (std::filesystem::exists(config.path)) {
    resumed_at_ = job::load_checkpoint(config.path, state);
    if (resumed_at_ >= context_.config.batches) {
      throw ConfigError("/batches: found " + std::to_string(context_.config.batches) +
                        "; the checkpoint " + config.path + " is of a job that was trained for " +
                        std::to_string(resumed_at_) +
                        "; allowed: more, or another /checkpoint/path");
    }
  }
  checkpointer_ =
      std::make_unique<job::Checkpointer>(config.path, state, config.every, resumed_at_);
  return resumed_at_;
}

void TrainingJob::make_evaluator() {
  const config::ExperimentConfig data = evaluation_data(context_.config);
  evaluator_ = std::make_unique<job::Evaluator>(
      model_, train::make_loss(data.loss), context_.make_source(data),
      job::Evaluator::Options{.every = data.evaluation.every,
                              .has_classes = data.loss == config::LossKind::kCrossEntropy},
      [this](const job::Evaluation& evaluation) { keep(evaluation); });
}

std::vector<train::LoopObserver*> TrainingJob::observers() {
  std::vector<train::LoopObserver*> observers;
  if (evaluator_) {
    evaluator_->start_at(resumed_at_);
    observers.push_back(evaluator_.get());
  }
  if (checkpointer_) observers.push_back(checkpointer_.get());
  return observers;
}

void TrainingJob::conclude() {
  if (evaluator_) evaluator_->evaluate();
  if (checkpointer_) checkpointer_->save();
}

void TrainingJob::keep(const job::Evaluation& evaluation) {
  const std::lock_guard lock(mutex_);
  evaluations_.push_back(evaluation);
  if (evaluations_.size() > kMostEvaluations) evaluations_.pop_front();
}

void TrainingJob::report(Json& results) const {
  if (resumed_at_ > 0) results["resumed_at_batch"] = resumed_at_;
  const std::lock_guard lock(mutex_);
  for (const job::Evaluation& evaluation : evaluations_) {
    results["evaluations"].push_back({{"batches", evaluation.batches},
                                      {"loss", evaluation.loss},
                                      {"accuracy", or_null(evaluation.accuracy)}});
  }
  if (!evaluations_.empty() && evaluations_.back().accuracy) {
    results["accuracy"] = *evaluations_.back().accuracy;
  }
}

}  // namespace runahead::experiment
