#pragma once

#include <map>
#include <string>
#include <vector>

#include "apps/program/program.h"
#include "core/base/json.h"
#include "core/config/experiment_config.h"
#include "core/config/sweep_config.h"

namespace runahead::apps {

/// Adds the argument `config`, a path. If nothing exists there, it means the config of that name in
/// the project's folder, such as `configs/quickstart.json`. @param what  For the help text.
void add_config_option(CLI::App& command, std::string& path, const std::string& what);

/// Command::missing of a command with that argument. @param example  "run train.json".
[[nodiscard]] std::map<std::string, std::string> missing_config(const std::string& example);

/// A config as the user named it: a file, or a pipe, which can be read only once.
class ConfigDocument {
 public:
  /// Reads it. @throws ConfigError if it is missing, cannot be read or is not JSON.
  explicit ConfigDocument(std::string path, const JsonBounds& bounds = {});

  [[nodiscard]] const Json& json() const { return json_; }

  /// The sweep config, with `sets` as config::apply_set_to_sweep takes them. @throws ConfigError if
  /// it is wrong.
  [[nodiscard]] config::SweepConfig sweep(const std::vector<std::string>& sets) const;

  /// The experiment config, resolved. @param sets  As config::load_experiment takes them.
  /// @throws ConfigError if it is wrong, or this version cannot run it.
  [[nodiscard]] config::ExperimentConfig experiment(const std::vector<std::string>& sets) const;

  /// A path by which the program that this process becomes can read the config: the config's own
  /// path or, for a pipe, that of a copy in memory that lasts as long as the process.
  /// @throws Error if the system gives no memory for it.
  [[nodiscard]] std::string path_for_next_program() const;

 private:
  /// The name of the config in errors.
  [[nodiscard]] std::string source() const;

  std::string path_;
  std::string text_;
  Json json_;
};

}  // namespace runahead::apps
