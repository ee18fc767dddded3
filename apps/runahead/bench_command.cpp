#include <unistd.h>

#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <vector>

#include "apps/runahead/benchmarks.h"
#include "apps/runahead/command.h"
#include "apps/runahead/programs.h"
#include "core/base/json.h"
#include "core/base/log.h"
#include "core/base/number_text.h"
#include "core/base/scratch_folder.h"
#include "core/base/text.h"
#include "core/sweep/process_cell_runner.h"
#include "core/sweep/program_caller.h"

namespace runahead::apps {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMaxRepeats = 1000;
constexpr std::int64_t kMaxCells = 1000;      // A tenth of what one axis may generate.
constexpr double kLongestRunSeconds = 300.0;  // About twenty times the slowest run.

struct Options {
  std::string name{};
  std::int64_t repeats = 7;
  std::string only{};
  std::optional<std::int64_t> cells{};  ///< nullopt for the number that the bar is set for.
  bool json = false;
  bool progress = false;
};

/// `runahead-cell`, called for the JSON that it prints.
class CellProgram {
 public:
  Json call(const std::vector<std::string>& arguments) {
    return parse_json(caller_.call(program_, arguments), program_.string());
  }

 private:
  ScratchFolder scratch_{};
  fs::path program_ = find_cell_program();
  sweep::ProgramCaller caller_{scratch_.path()};
};

Json measure_dispatch(const BenchOptions& options) {
  CellProgram cell;
  const auto measure = [&cell](const std::string& device) {
    return cell.call({"bench-dispatch", device});
  };
  return bench_dispatch(measure, options);
}

Json measure_transfer(const BenchOptions& options) {
  CellProgram cell;
  const Json device = find_transfer_device(cell.call({"devices", "--json"}));
  Json figures = bench_transfer([&cell] { return cell.call({"bench-transfer"}); }, options);
  figures["device"] = device;
  return figures;
}

Json measure_cells(Json (*bench)(sweep::CellRunner&, const BenchOptions&),
                   const BenchOptions& options) {
  const ScratchFolder scratch;
  const auto runner = sweep::make_process_cell_runner({.program = find_cell_program(),
                                                       .cells_folder = scratch.path(),
                                                       .timeout_seconds = kLongestRunSeconds});
  return bench(*runner, options);
}

struct Benchmark {
  const char* about = "";  ///< What it measures; help text.
  std::function<Json(const BenchOptions&)> measure{};
  std::function<std::string(const Json& figures)> table{};
  bool has_cells_to_choose = false;
  bool has_cells_to_count = false;
};

const std::map<std::string, Benchmark>& benchmarks() {
  static const std::map<std::string, Benchmark> table{
      {"dispatch",
       {"the cost of an operation on acpu, to issue and in total, compared with cpu",
        measure_dispatch, dispatch_bench_table}},
      {"engine",
       {"rate at which the engine queues and executes operations, by graph and number of workers",
        [](const BenchOptions& options) { return bench_engine({}, options); }, engine_bench_table}},
      {"limits",
       {"throughput and memory of each synchronisation policy",
        [](const BenchOptions& options) { return measure_cells(bench_limits, options); },
        limits_bench_table, true}},
      {"monitor",
       {"what the memory monitor costs, and how well it finds peaks",
        [](const BenchOptions& options) { return bench_monitor({}, options); },
        monitor_bench_table}},
      {"sweep",
       {"the time that a sweep adds to its cells, and the memory it uses itself",
        [](const BenchOptions& options) {
          return bench_sweep({.runahead = own_program(), .stub_cell = find_stub_cell()}, options);
        },
        sweep_bench_table, false, true}},
      {"train",
       {"training on acpu compared with cpu",
        [](const BenchOptions& options) { return measure_cells(bench_train, options); },
        train_bench_table}},
      {"transfer",
       {"copies to a GPU from pageable and pinned memory", measure_transfer, transfer_bench_table}},
  };
  return table;
}

std::string benchmark_names() { return joined(std::views::keys(benchmarks()), ", "); }

std::string help_footer() {
  std::string text = "Benchmarks:\n";
  for (const auto& [name, benchmark] : benchmarks()) {
    text += "  " + name + std::string(10 - name.size(), ' ') + benchmark.about + "\n";
  }
  return text +
         "With 7 repeats on 2 quiet cores, limits takes about 40 minutes, sweep 7 minutes and\n"
         "train 6 minutes.\n";
}

const Benchmark& find_benchmark(const std::string& name) {
  const auto found = benchmarks().find(name);
  if (found != benchmarks().end()) return found->second;
  throw ConfigError("bench: there is no benchmark '" + name + "'; allowed: " + benchmark_names());
}

void check(const Options& options, const Benchmark& benchmark) {
  if (!options.only.empty() && !benchmark.has_cells_to_choose) {
    throw ConfigError("--only: 'bench " + options.name + "' has no cells to choose from; allowed " +
                      "with: bench limits");
  }
  if (options.cells && !benchmark.has_cells_to_count) {
    throw ConfigError("--cells: 'bench " + options.name + "' runs no sweep; allowed with: bench " +
                      "sweep");
  }
}

ExitCode bench(const Options& options) {
  const Benchmark& benchmark = find_benchmark(options.name);
  check(options, benchmark);
  BenchOptions rounds{.repeats = options.repeats, .only = options.only};
  rounds.cells = options.cells.value_or(rounds.cells);
  if (options.progress || ::isatty(STDERR_FILENO) == 1) {
    rounds.report = [](const std::string& line) { log_info(line); };
  }
  std::uint64_t disturbed_rounds = 0;
  rounds.on_disturbed = [&disturbed_rounds] { ++disturbed_rounds; };
  Json figures = benchmark.measure(rounds);
  if (disturbed_rounds > 0) {
    log_warning("something else had the CPU in " + counted(disturbed_rounds, "round") +
                " that count: repeat on a quiet machine");
  }
  if (options.json) {
    figures["benchmark"] = options.name;
    figures["repeats"] = options.repeats;
    figures["disturbed_rounds"] = disturbed_rounds;
    std::cout << dump_json(figures, 2) << '\n';
  } else {
    std::cout << benchmark.table(figures);
  }
  return ExitCode::kOk;
}

}  // namespace

Command add_bench_command(CLI::App& program) {
  const auto options = std::make_shared<Options>();
  CLI::App* parser = program.add_subcommand("bench", "Measure the costs of runahead itself");
  parser->add_option("name", options->name, "Benchmark: " + benchmark_names())->required();
  CLI::Option* repeats = parser
                             ->add_option("--repeats", options->repeats,
                                          "Measurements of each case; the cases take turns")
                             ->capture_default_str();
  require_range(*repeats, 1, kMaxRepeats);
  parser->add_option("--only", options->only,
                     "limits: measure only the cells whose name, DATA/WORKERS/ALLOCATION, contains "
                     "this text, such as on_host/1/at_issue");
  CLI::Option* cells = parser->add_option("--cells", options->cells,
                                          "sweep: number of cells in the timed sweeps (default: "
                                          "1000); memory is measured with ten times as many");
  require_range(*cells, 1, kMaxCells);
  parser->add_flag("--json", options->json, "Print one JSON document instead of the table");
  parser->add_flag("--progress", options->progress,
                   "Show progress even if stderr is not a terminal");
  parser->footer(help_footer());
  return {.parser = parser,
          .execute = [options] { return bench(*options); },
          .missing = {{"name", "no benchmark given; allowed: " + benchmark_names()}}};
}

}  // namespace runahead::apps
