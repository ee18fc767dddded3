#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "core/sweep/cell_runner.h"

namespace runahead::sweep {

/// How cells run as children of this process.
struct ProcessCellOptions {
  std::filesystem::path program{};  ///< `runahead-cell`.
  /// `runahead`, whose command `cell` runs the cells that run a command; else they take `program`.
  std::filesystem::path command_program{};
  std::filesystem::path cells_folder{};  ///< Each run gets a fresh folder in it.
  std::optional<double> timeout_seconds{};
  std::optional<std::uint64_t> memory_limit_bytes{};  ///< Of the RSS of a cell's process tree; also
                                                      ///< given to its guard.
  int jobs = 1;  ///< Cells at once, which share the CPUs out among themselves (cpu_slots.h).
  int max_attempts = 2;  ///< Of a run that is ended from outside.
  /// Where so much is free in `cells_folder` its disk is not full (has_disk_room).
  std::uint64_t disk_room_bytes = std::uint64_t{64} << 20;
  /// How often a cell reports its progress (RunningCell::progress); nullopt: never.
  std::optional<double> progress_seconds{};
};

/// Each run is a fresh child, `PROGRAM run config.json --out FOLDER --repeat N --axes axes.json`,
/// in a folder of its own, which afterwards holds what the run wrote, its `stdout.txt` and
/// `stderr.txt`; while it runs also `progress.json`, if that is wanted. One that is ended from
/// outside is started again (`max_attempts`). When the disk of those folders is full, waiting for
/// cells and starting them throws Error: what then fails says nothing of cells. One that lacks room
/// where these have some, in its TMPDIR say, has failed. While it lives, SIGINT, SIGTERM and SIGHUP
/// end the children (within 1 s) instead of this process. No child outlives it, nor what one
/// started.
class ProcessCellRunner final : public CellRunner {
 public:
  explicit ProcessCellRunner(ProcessCellOptions options);
  ~ProcessCellRunner() override;

  void start(const Cell& cell, const CellJob& job) override;
  [[nodiscard]] CellResult wait_any() override;
  [[nodiscard]] std::optional<CellResult> wait_any_for(double seconds) override;
  [[nodiscard]] RunnerActivity activity(std::size_t detailed) override;
  [[nodiscard]] bool interrupted() override;

 private:
  class Children;
  std::unique_ptr<Children> children_;
};

}  // namespace runahead::sweep
