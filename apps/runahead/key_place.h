#pragma once

#include <string>

namespace runahead::apps {

/// Where an experiment config has a key, as a JSON pointer: "/data/batch_size" for "batch_size".
/// That of the whole config for one that it has nowhere, or in several sections.
[[nodiscard]] std::string place_in_experiment(const std::string& key);

/// The same of a sweep config, whose base is an experiment config: "/repeats", "/base/device".
[[nodiscard]] std::string place_in_sweep(const std::string& key);

}  // namespace runahead::apps
