#include "apps/runahead/key_place.h"

#include <vector>

#include "core/config/experiment_config.h"
#include "core/config/sweep_config.h"

namespace runahead::apps {

std::optional<std::string> place_in_experiment(const std::string& key) {
  const Json config = config::to_json(config::ExperimentConfig{});
  if (config.contains(key)) return "/" + key;
  std::vector<std::string> places;
  for (const auto& [section, keys] : config.items()) {
    if (keys.is_object() && keys.contains(key)) places.push_back("/" + section + "/" + key);
  }
  if (places.size() != 1) return std::nullopt;
  return places.front();
}

std::optional<std::string> place_in_sweep(const std::string& key) {
  if (config::to_json(config::SweepConfig{}).contains(key)) return "/" + key;
  const std::optional<std::string> in_base = place_in_experiment(key);
  if (!in_base) return std::nullopt;
  return "/base" + *in_base;
}

}  // namespace runahead::apps
