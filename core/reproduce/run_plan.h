#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/sweep/plan.h"

namespace runahead::reproduce {

/// A script of the project and its arguments, where "{config}" stands for a file with the job's
/// config. The script prints the run's results as JSON.
using PythonCommand = std::vector<std::string>;

/// A run that claims rest on: the config of a tutorial, with changes.
struct PlannedRun {
  std::string name{};    ///< "train.on_device.none.long".
  std::string config{};  ///< File name in configs/tutorials.
  std::vector<std::string> sets{};
  std::vector<std::string> quick_sets{};  ///< Added in a quick plan, for smaller sizes.
  std::vector<std::string> cuda_sets{};   ///< Added on "cuda", which is faster.
  std::vector<std::string> devices{};     ///< Where it runs: "cpu", "acpu", "cuda".
  std::int64_t processes = 1;             ///< 1 if the run repeats its own measurements.
  PythonCommand python{};                 ///< Makes the run; if empty, the cell program does.
};

/// Every run that a claim on the tutorials rests on, in the order of the documents.
[[nodiscard]] std::vector<PlannedRun> planned_runs();

/// One process of a run.
struct ReproduceJob {
  std::string run{};
  std::string device{};
  sweep::Cell cell{};        ///< Without axes.
  std::int64_t process = 0;  ///< Counted over all attempts.
  std::int64_t attempt = 0;  ///< 0 for the plan's job, else a repetition for open claims.
  PythonCommand python{};
};

struct PlanOptions {
  std::filesystem::path configs{};     ///< configs/tutorials.
  std::vector<std::string> devices{};  ///< Available here.
  std::string experiment{};            ///< Selects runs of this kind; empty selects all.
  bool is_quick = false;               ///< Smaller sizes, the same claims.
};

/// The first process of every run on every device, then every second process, and so on, so that a
/// slow drift of the machine affects all runs alike. Reads every config before anything runs.
/// @throws ConfigError naming the file and its mistake; Error if a file cannot be read.
[[nodiscard]] std::vector<ReproduceJob> make_run_plan(const PlanOptions& options);

/// A run for each remedy of each scenario of the pressure gallery, on acpu:
/// "gallery.host_batches.window". Each consists of five pairs of runs, without and with the remedy.
[[nodiscard]] std::vector<ReproduceJob> gallery_plan();

}  // namespace runahead::reproduce
