#include "apps/runahead/key_place.h"

#include <vector>

#include "core/config/experiment_config.h"
#include "core/config/sweep_config.h"

namespace runahead::apps {

std::string place_in_experiment(const std::string& key) {
  const Json config = config::to_json(config::ExperimentConfig{});
  std::vector<std::string> places;
  for (const auto& [section, keys] : config.items()) {
    if (keys.is_object() && keys.contains(key)) places.push_back("/" + section + "/" + key);
  }
  return places.size() == 1 && !config.contains(key) ? places.front() : "/" + key;
}

std::string place_in_sweep(const std::string& key) {
  const bool is_own = config::to_json(config::SweepConfig{}).contains(key);
  return is_own ? "/" + key : "/base" + place_in_experiment(key);
}

}  // namespace runahead::apps
