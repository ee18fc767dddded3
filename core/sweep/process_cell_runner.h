#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "core/sweep/cell_runner.h"

namespace runahead::sweep {

/// How cells run as children of this process.
struct ProcessCellOptions {
  std::filesystem::path program{};  ///< `runahead-cell`.
  /// `runahead`, whose command `cell` runs cells that run a command. Empty: `program` runs them.
  std::filesystem::path command_program{};
  std::filesystem::path cells_folder{};  ///< Each run gets a fresh folder in it.
  std::optional<double> timeout_seconds{};
  std::optional<std::uint64_t> memory_limit_bytes{};  ///< For the RSS of a cell's process tree;
                                                      ///< also given to its guard.
  int jobs = 1;          ///< Cells at once; the CPUs are divided among them (cpu_slots.h).
  int max_attempts = 2;  ///< Attempts at a run that is ended from outside.
  /// The disk of `cells_folder` counts as full if it has less room than this (has_disk_room).
  std::uint64_t disk_room_bytes = std::uint64_t{64} << 20;
  /// How often a cell reports its progress (RunningCell::progress); nullopt: never.
  std::optional<double> progress_seconds{};
};

/// Each run of the runner is a fresh child, `PROGRAM run config.json --out FOLDER --repeat N --axes
/// axes.json`, in a folder of its own. The folder then holds what the run wrote, its `stdout.txt`
/// and its `stderr.txt`; during the run also `progress.json`, if asked for. A run that is ended
/// from outside is started again (`max_attempts`). If the disk of these folders is full, waiting
/// for cells and starting them throws Error, because a failure then says nothing about a cell. A
/// run that lacks room elsewhere, for example in its TMPDIR, has failed. During the runner's
/// lifetime, SIGINT, SIGTERM and SIGHUP end the children (within 1 s) instead of this process. No
/// child outlives the runner, and neither does anything that a child started.
[[nodiscard]] std::unique_ptr<CellRunner> make_process_cell_runner(ProcessCellOptions options);

}  // namespace runahead::sweep
