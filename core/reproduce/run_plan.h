#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/sweep/plan.h"

namespace runahead::reproduce {

/// A run that claims rest on: an experiment's config with changes.
struct PlannedRun {
  std::string name{};    ///< "train.on_device.none.long".
  std::string config{};  ///< File in the folder of the seeds' configs.
  std::vector<std::string> sets{};
  std::vector<std::string> quick_sets{};  ///< Beside these, where sizes are shrunk.
  std::vector<std::string> cuda_sets{};   ///< Beside all these on "cuda", which is faster.
  std::vector<std::string> devices{};     ///< Where it is made, of "cpu", "acpu", "cuda".
  std::int64_t processes = 1;             ///< How often, each a process; 1 where it repeats itself.
  bool is_in_python = false;              ///< By the Python loop with the same config.
};

/// Every run that a claim rests on, in the order of the chapters.
[[nodiscard]] std::vector<PlannedRun> planned_runs();

/// One process to be run.
struct ReproduceJob {
  std::string run{};
  std::string device{};
  sweep::Cell cell{};        ///< Without axes.
  std::int64_t process = 0;  ///< Counted over all looks.
  std::int64_t look = 0;     ///< 0: of the plan; else made again, to look at a claim once more.
  bool is_in_python = false;
};

struct PlanOptions {
  std::filesystem::path configs{};     ///< The folder of the seeds' configs.
  std::vector<std::string> devices{};  ///< That are there.
  std::string experiment{};            ///< Only runs of this kind; empty: all.
  bool is_quick = false;               ///< Smaller sizes, the same claims.
};

/// The first process of every run on every device, then the second, …: slow drifts of the machine
/// meet all alike. Every config is read before any runs.
/// @throws ConfigError naming the file and what is wrong in it; Error if one cannot be read.
[[nodiscard]] std::vector<ReproduceJob> make_run_plan(const PlanOptions& options);

}  // namespace runahead::reproduce
