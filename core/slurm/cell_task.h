#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/error.h"

namespace runahead::slurm {

/// What a task of an array does on its node: runs its cell as a child, with the cell's limits, and
/// leaves one result in the array's folder, whole or not at all. It is tried once. Blocks until the
/// cell has ended. SIGTERM, as Slurm sends it before a kill, ends the cell within a second, and the
/// result then says interrupted.
/// @param cell_program  `runahead-cell`.
/// @return kOk if there is a result, whatever it says; kInterrupted after a signal.
/// @throws Error if the folder or the task is not one of an array, or the result cannot be written.
[[nodiscard]] ExitCode run_cell_task(const std::filesystem::path& array_folder, std::int64_t task,
                                     const std::filesystem::path& cell_program);

}  // namespace runahead::slurm
