#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/config/experiment_config.h"
#include "core/record/condition.h"
#include "core/sweep/plan.h"

namespace runahead::apps {

struct ProgramExperimentOptions {
  std::filesystem::path folder{};  ///< For the record; if empty, runs/<time>-program.
  bool trace = false;
  bool json = false;  ///< Print the record instead of its figures.
};

/// Runs an experiment of the kind `program` in this process and prints its figures. The command's
/// output goes to stderr. Blocks until the command has ended.
/// @throws as command::run_program does.
[[nodiscard]] ExitCode run_program_experiment(const config::ExperimentConfig& config,
                                              const ProgramExperimentOptions& options,
                                              const std::vector<record::Condition>& conditions);

/// @throws UnavailableError naming `source` if the config runs a program that does not exist.
void require_program_of(const config::ExperimentConfig& config, const std::string& source);

/// require_program_of() for each cell of a plan.
void require_programs(const sweep::Plan& plan, const std::string& source);

}  // namespace runahead::apps
