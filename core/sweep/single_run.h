#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/record/record.h"
#include "core/sweep/cell_runner.h"
#include "core/sweep/plan.h"

namespace runahead::sweep {

/// Runs a cell, blocks until it has ended, and returns its record, whatever the status. For a
/// runner with no other run in progress.
/// @param on_look  If set, called about four times a second meanwhile.
/// @throws InterruptedError if the user asked to stop; UnavailableError as CellRunner::start.
[[nodiscard]] record::Record run_cell(
    CellRunner& runner, const Cell& cell, std::int64_t repeat,
    const std::function<void(const RunnerActivity&)>& on_look = {});

/// Something else had the CPU if a busy thread had it for a smaller share of the time.
inline constexpr double kLeastCpuShare = 0.9;

/// Whether the CPU was busy, or the source asleep (`data.seconds_per_batch`), for at least
/// kLeastCpuShare of a run's time; and busy for as much of the time in which the device executed
/// (`results.busy_seconds`), because a source that sleeps meanwhile hides a device that waits for a
/// CPU. An undisturbed device has one all that time, also if the run has only one CPU. True if its
/// times were not measured.
[[nodiscard]] bool had_the_cpu(const record::Record& record,
                               const config::ExperimentConfig& config);

/// The peak of live bytes plus queued inputs; nullopt if the device does not count them.
[[nodiscard]] std::optional<double> occupied_peak_bytes(const record::Record& record);

}  // namespace runahead::sweep
