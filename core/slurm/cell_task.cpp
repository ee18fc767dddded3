#include "core/slurm/cell_task.h"

#include "core/record/record_file.h"
#include "core/slurm/array_folder.h"
#include "core/slurm/task_list.h"
#include "core/sweep/process_cell_runner.h"

namespace runahead::slurm {

ExitCode run_cell_task(const std::filesystem::path& array_folder, std::int64_t task,
                       const std::filesystem::path& cell_program) {
  const ArrayFolder folder(array_folder);
  const ArrayHeader header = folder.read_header();
  const Task planned = TaskList(folder.tasks()).read(task);
  // Slurm starts a task again that it took from its node: what that left is no result of this one.
  std::filesystem::remove(folder.result(task));

  sweep::ProcessCellRunner runner({.program = cell_program,
                                   .cells_folder = header.cells_folder,
                                   .timeout_seconds = header.needs.timeout_seconds,
                                   .memory_limit_bytes = header.needs.memory_limit_bytes,
                                   // Slurm's word says why it was ended: who submits tries again.
                                   .max_attempts = 1,
                                   .progress_seconds = header.progress_seconds});
  runner.start(planned.cell, {.cell = 0, .repeat = planned.repeat});
  record::write_record(folder.result(task), runner.wait_any().record);
  return runner.interrupted() ? ExitCode::kInterrupted : ExitCode::kOk;
}

}  // namespace runahead::slurm
