#pragma once

#include <optional>
#include <string>

namespace runahead::apps {

/// The JSON pointer of a key in an experiment config: "/data/batch_size" for "batch_size". nullopt
/// for a key that no section or more than one section has.
[[nodiscard]] std::optional<std::string> place_in_experiment(const std::string& key);

/// The same for a sweep config, whose base is an experiment config: "/repeats", "/base/device".
[[nodiscard]] std::optional<std::string> place_in_sweep(const std::string& key);

}  // namespace runahead::apps
