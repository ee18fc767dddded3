#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/slurm/array_script.h"
#include "core/slurm/submit_host.h"
#include "core/sweep/cell_runner.h"

namespace runahead::slurm {

/// Most tasks of one array, whatever the cluster allows.
inline constexpr std::int64_t kMaxArrayTasks = 5000;

/// CPUs that a cell keeps busy: the intra-op threads of each worker and, on `acpu`, the front end.
[[nodiscard]] int cpus_of(const config::ExperimentConfig& config);

/// The text of the first script that the sweep would submit.
[[nodiscard]] std::string script_of(const SlurmOptions& options, const sweep::Plan& plan);

/// Warns, after a change of launcher, of an array that may still run.
void warn_of_open_array(const std::filesystem::path& sweep_folder);
/// Forgets such an array: later sweeps do not warn of it.
void close_open_array(const std::filesystem::path& sweep_folder);

/// Makes a runner that runs each run of a sweep as a shard of its own in a task of a job array.
/// start() only collects; waiting for a result submits what was collected, one array at a time. So
/// start every run: the array's throttle bounds how many run at once. A run is submitted again,
/// once, if its node failed or it was preempted.
///
/// wait_any() polls every one to ten seconds. After an interrupt it cancels the array, waits up to
/// two minutes for the tasks to end, and also returns runs that had not begun (CellResult::began).
/// It throws Error if Slurm rejects an array or has not answered for ten minutes, or a task found
/// the disk full. Submitted tasks continue; the same sweep, started again, takes them over.
/// A shard's file stays until the call after the one that returned its record, which has been
/// stored by then. activity() is as of the last poll; a cell's progress is what it wrote to the
/// shared folder since.
///
/// This function takes over or cancels what an earlier sweep submitted, and waits for what it
/// cancels to end.
/// @throws UnavailableError if no Slurm answers; Error if the folder cannot be read.
[[nodiscard]] std::unique_ptr<sweep::CellRunner> make_slurm_cell_runner(
    std::shared_ptr<SubmitHost> host, SlurmOptions options, const sweep::Plan& plan);

}  // namespace runahead::slurm
