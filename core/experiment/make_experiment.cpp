#include "core/experiment/make_experiment.h"

#include <functional>
#include <map>
#include <string>

#include "core/base/error.h"
#include "core/experiment/data_iter_experiment.h"
#include "core/experiment/dispatch_experiment.h"
#include "core/experiment/exercise_experiment.h"
#include "core/experiment/front_end_experiment.h"
#include "core/experiment/graph_experiment.h"
#include "core/experiment/increment_experiment.h"
#include "core/experiment/launch_queue_experiment.h"
#include "core/experiment/matmul_loop_experiment.h"
#include "core/experiment/predict_experiment.h"
#include "core/experiment/queued_finished_experiment.h"
#include "core/experiment/sync_functions_experiment.h"
#include "core/experiment/train_experiment.h"

namespace runahead::experiment {
namespace {

using Maker = std::function<std::unique_ptr<Experiment>(const ExperimentContext&)>;

template <typename Kind>
Maker maker_of() {
  return [](const ExperimentContext& context) { return std::make_unique<Kind>(context); };
}

const std::map<std::string, Maker>& makers() {
  static const std::map<std::string, Maker> table{
      {"dispatch", maker_of<DispatchExperiment>()},
      {"matmul_loop", maker_of<MatmulLoopExperiment>()},
      {"queued_finished", maker_of<QueuedFinishedExperiment>()},
      {"sync_functions", maker_of<SyncFunctionsExperiment>()},
      {"increment", maker_of<IncrementExperiment>()},
      {"graph", maker_of<GraphExperiment>()},
      {"data_iter", maker_of<DataIterExperiment>()},
      {"train", maker_of<TrainExperiment>()},
      {"predict", maker_of<PredictExperiment>()},
      {"exercise", maker_of<ExerciseExperiment>()},
      {"front_end", maker_of<FrontEndExperiment>()},
      {"launch_queue", maker_of<LaunchQueueExperiment>()},
  };
  return table;
}

}  // namespace

std::unique_ptr<Experiment> make_experiment(const ExperimentContext& context) {
  const auto found = makers().find(context.config.experiment);
  if (found != makers().end()) return found->second(context);
  std::string built;
  for (const auto& [name, maker] : makers()) built += (built.empty() ? "" : ", ") + name;
  throw ConfigError("/experiment: '" + context.config.experiment +
                    "' is not built; there is: " + built);
}

}  // namespace runahead::experiment
