#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/record/record.h"

namespace runahead::apps {

/// The options that a sweep passes to the program of a cell, besides config and folder.
struct CellOptions {
  std::int64_t repeat = 0;
  std::string axes{};  ///< Path of a file, or "".
  std::optional<std::uint64_t> memory_limit_bytes{};
  std::string progress_file{};
  double progress_seconds = 0.5;

  /// The cell's axes, for its record. @throws ConfigError if the file cannot be read.
  [[nodiscard]] Json read_axes() const;
};

/// Adds these options to a command.
void add_cell_options(CLI::App& command, CellOptions& options);

/// The options of the command `run`, which both programs have.
struct RunOptions {
  std::string config{};  ///< A path; each program adds this argument itself.
  std::vector<std::string> sets{};
  std::string out{};
  std::vector<std::string> fail_if{};
  bool trace = false;
  bool json = false;
  bool progress = false;

  /// The command line that add_run_options() reads back, after the program's name.
  [[nodiscard]] std::vector<std::string> arguments() const;
};

/// Adds all of these options but `config` to a command.
void add_run_options(CLI::App& command, RunOptions& options);

/// The exit code of a program whose run ended with the given status.
[[nodiscard]] ExitCode exit_code_of(record::Status status) noexcept;

}  // namespace runahead::apps
