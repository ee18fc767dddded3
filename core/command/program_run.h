#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

#include "core/config/experiment_config.h"
#include "core/record/record.h"

namespace runahead::command {

struct ProgramRunOptions {
  std::filesystem::path folder{};  ///< Of the record; made, and may hold none.
  std::string home{};              ///< What {runahead_home} stands for.
  std::int64_t repeat = 0;
  Json axes = Json::object();
  bool trace = false;       ///< Whether a command that records itself also writes a timeline.
  std::FILE* out = stdout;  ///< Where the command's stdout goes.
};

struct ProgramRunEnd {
  record::Record record{};
  /// The signal that ended the command, unless this process had stopped it.
  std::optional<int> signal{};
};

/// Runs the command of an experiment `program` and blocks until it has ended. Writes `record.json`
/// and `samples.csv` to the folder: the time and the memory of the command's processes, in which
/// whatever the command recorded of itself takes the place of what was seen from outside.
/// @throws ConfigError if the folder cannot be made or holds a record, UnavailableError if there is
///         no such program: before anything is written.
[[nodiscard]] ProgramRunEnd run_program(const config::ExperimentConfig& config,
                                        const ProgramRunOptions& options);

}  // namespace runahead::command
