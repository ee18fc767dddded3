#include "apps/cell/wiring.h"

#include "data/normal.h"
#include "models/mlp.h"

namespace runahead::cell {

experiment::Factories make_factories() {
  return {.models = {{"mlp",
                      [](const config::ExperimentConfig& config) {
                        return std::make_unique<models::Mlp>(config.model, config.data.features,
                                                             config.seed);
                      }}},
          .sources = {{"normal", data::make_normal_source}}};
}

}  // namespace runahead::cell
