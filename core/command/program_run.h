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
  /// For the record; created. Must not hold a record yet. Empty: a new one, runs/<time>-program.
  std::filesystem::path folder{};
  std::string home{};  ///< What {runahead_home} stands for.
  std::int64_t repeat = 0;
  Json axes = Json::object();
  bool trace = false;       ///< Whether a command that records itself also writes a timeline.
  std::FILE* out = stdout;  ///< Where the command's stdout goes.
};

struct ProgramRunEnd {
  record::Record record{};
  std::filesystem::path folder{};  ///< That holds it.
  /// The signal that ended the command; nullopt if this process stopped it.
  std::optional<int> signal{};
};

/// Runs the command of an experiment `program` and blocks until it has ended. Writes `record.json`
/// and `samples.csv`, with the time and memory of the command's processes, to the folder. Whatever
/// the command recorded itself replaces what was measured from outside.
/// @throws ConfigError if the folder cannot be created or holds a record, UnavailableError if there
///         is no such program; nothing has then been written.
[[nodiscard]] ProgramRunEnd run_program(const config::ExperimentConfig& config,
                                        const ProgramRunOptions& options);

}  // namespace runahead::command
