#pragma once

#include <optional>
#include <string>

namespace runahead::apps {

/// Where an experiment config has a key, as a JSON pointer: "/data/batch_size" for "batch_size".
/// nullopt for a key that it does not have, or has in several sections.
[[nodiscard]] std::optional<std::string> place_in_experiment(const std::string& key);

/// The same of a sweep config, whose base is an experiment config: "/repeats", "/base/device".
[[nodiscard]] std::optional<std::string> place_in_sweep(const std::string& key);

}  // namespace runahead::apps
