#include <filesystem>
#include <memory>
#include <string>

#include "apps/program/cell_options.h"
#include "apps/program/program.h"
#include "core/config/experiment_config.h"
#include "core/record/record_file.h"

namespace {

using namespace runahead;

/// The options that a sweep passes to the program of its cells.
struct Options {
  std::string config{};
  std::string out{};
  apps::CellOptions cell{};
};

ExitCode write_record(const Options& options) {
  const config::ExperimentConfig config = config::load_experiment(options.config, {});
  record::write_record(std::filesystem::path(options.out) / "record.json",
                       record::make_record(config, options.cell.repeat, options.cell.read_axes()));
  return ExitCode::kOk;
}

apps::Command add_run_command(CLI::App& program) {
  const auto options = std::make_shared<Options>();
  CLI::App* parser = program.add_subcommand("run", "Write the record of a run that did nothing");
  parser->add_option("config", options->config, "Experiment config (JSON)")->required();
  parser->add_option("--out", options->out, "Folder of the record")->required();
  apps::add_cell_options(*parser, options->cell);
  return {parser, [options] { return write_record(*options); }};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program("Stands in for runahead-cell where the cost of a sweep is measured.",
                   "runahead-stub-cell");
  return apps::run_program(program, {add_run_command(program)}, argc, argv);
}
