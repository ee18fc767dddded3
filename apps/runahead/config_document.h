#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apps/program/program.h"
#include "core/base/json.h"
#include "core/config/experiment_config.h"
#include "core/config/sweep_config.h"

namespace runahead::apps {

/// Adds the argument `config`, a path. If the path does not exist, it is looked up in the project's
/// folder, for example `configs/quickstart.json`. @param what  For the help text.
void add_config_option(CLI::App& command, std::string& path, const std::string& what);

/// Command::missing for a command with that argument. @param example  "run train.json".
[[nodiscard]] std::map<std::string, std::string> missing_config(const std::string& example);

/// A config as the user named it: a file, or a pipe, which can be read only once.
class ConfigDocument {
 public:
  /// Reads the config. @throws ConfigError if it is missing, unreadable or not JSON.
  explicit ConfigDocument(std::string path, const JsonBounds& bounds = {});

  [[nodiscard]] const Json& json() const { return json_; }

  /// The sweep config. @param sets  Applied by config::apply_set_to_sweep.
  /// @throws ConfigError if it is invalid.
  [[nodiscard]] config::SweepConfig sweep(const std::vector<std::string>& sets) const;

  /// The resolved experiment config. @param sets  As for config::load_experiment.
  /// @throws ConfigError if it is invalid, or this version cannot run it.
  [[nodiscard]] config::ExperimentConfig experiment(const std::vector<std::string>& sets) const;

  /// A path from which the program that this process becomes can read the config: its own path or,
  /// for a pipe, the path of an in-memory copy that lasts as long as the process.
  /// @throws Error if the system cannot allocate the copy.
  [[nodiscard]] std::string path_for_next_program() const;

  /// The name of the config in errors.
  [[nodiscard]] std::string source() const;

 private:
  std::string path_;
  Json json_;
};

/// The JSON pointer of a key in an experiment config: "/data/batch_size" for "batch_size". nullopt
/// for a key that no section or more than one section has.
[[nodiscard]] std::optional<std::string> place_in_experiment(const std::string& key);

/// The same for a sweep config, whose base is an experiment config: "/repeats", "/base/device".
[[nodiscard]] std::optional<std::string> place_in_sweep(const std::string& key);

}  // namespace runahead::apps
