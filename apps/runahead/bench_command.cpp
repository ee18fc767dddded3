#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "apps/runahead/bench_train.h"
#include "apps/runahead/command.h"
#include "apps/runahead/programs.h"
#include "core/base/json.h"
#include "core/base/log.h"
#include "core/sweep/process_cell_runner.h"

namespace runahead::apps {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMaxRepeats = 1000;

struct BenchOptions {
  std::string name{};
  std::int64_t repeats = 7;
  bool json = false;
  bool progress = false;
};

/// A folder for the cells' files, removed in the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "runahead-bench-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw Error("'" + name + "' could not be made");
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_{};
};

ExitCode bench(const BenchOptions& options) {
  if (options.name != "train") {
    throw ConfigError("bench: there is no benchmark '" + options.name + "'; there is: train");
  }
  if (options.repeats < 1 || options.repeats > kMaxRepeats) {
    throw ConfigError("--repeats: found " + std::to_string(options.repeats) + "; allowed: 1 to " +
                      std::to_string(kMaxRepeats));
  }
  const ScratchFolder scratch;
  sweep::ProcessCellRunner runner({.program = find_cell_program(), .cells_folder = scratch.path()});
  const bool show_progress = options.progress || ::isatty(STDERR_FILENO) == 1;
  TrainBenchOptions train{.repeats = options.repeats};
  if (show_progress) train.tell = [](const std::string& line) { log_info(line); };
  const Json figures = bench_train(runner, train);
  if (options.json) {
    std::cout << dump_json({{"train", figures}, {"repeats", options.repeats}}, 2) << '\n';
  } else {
    std::cout << train_bench_table(figures);
  }
  return ExitCode::kOk;
}

}  // namespace

Command add_bench_command(CLI::App& program) {
  const auto options = std::make_shared<BenchOptions>();
  CLI::App* parser = program.add_subcommand("bench", "Micro-benchmarks");
  parser->add_option("name", options->name, "Which one: train")->required();
  parser->add_option("--repeats", options->repeats, "Interleaved repeats")->capture_default_str();
  parser->add_flag("--json", options->json, "Print one JSON document instead of the table");
  parser->add_flag("--progress", options->progress,
                   "Show progress where stderr is no terminal too");
  return {parser, [options] { return bench(*options); }};
}

}  // namespace runahead::apps
