#include <cstdint>
#include <memory>
#include <string>

#include "apps/runahead/command.h"
#include "apps/runahead/programs.h"
#include "core/slurm/cell_task.h"

namespace runahead::apps {

namespace {

struct RunCellOptions {
  std::string folder{};
  std::int64_t task = 0;
};

}  // namespace

Command add_run_cell_command(CLI::App& program) {
  const auto options = std::make_shared<RunCellOptions>();
  CLI::App* parser = program.add_subcommand(
      "run-cell", "Run a task of a Slurm array: `sweep --launcher slurm` writes the call");
  // Only scripts call it.
  parser->group("");
  parser->add_option("folder", options->folder, "Folder of the array")->required();
  parser->add_option("task", options->task, "Index of the task")->required();
  return {parser, [options] {
            return slurm::run_cell_task(options->folder, options->task, find_cell_program());
          }};
}

}  // namespace runahead::apps
