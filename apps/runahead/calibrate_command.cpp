#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "apps/runahead/command.h"
#include "apps/runahead/programs.h"
#include "core/base/affinity.h"
#include "core/base/error.h"

namespace runahead::apps {

namespace {

constexpr int kMostThreads = 1024;

/// More threads than CPUs would measure how they take turns.
void require_cpus(int threads) {
  const int most = std::min(kMostThreads, static_cast<int>(allowed_cpus().size()));
  if (threads >= 1 && threads <= most) return;
  throw ConfigError("--threads: found " + std::to_string(threads) + "; allowed: 1 to " +
                    std::to_string(most) + ", the number of CPUs that this process may use");
}

}  // namespace

Command add_calibrate_command(CLI::App& program) {
  struct Options {
    int threads = 1;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* parser = program.add_subcommand(
      "calibrate",
      "Measure which matrix products are faster with oneDNN, and keep that for /acpu/products");
  CLI::Option* threads = parser->add_option("--threads", options->threads,
                                            "Intra-op threads to measure with (default: 1)");
  require_range(*threads, 1, kMostThreads);
  parser->add_flag("--json", options->json, "Print one JSON document");
  return {parser, [options]() -> ExitCode {
            require_cpus(options->threads);
            std::vector<std::string> arguments{"calibrate", "--threads",
                                               std::to_string(options->threads)};
            if (options->json) arguments.emplace_back("--json");
            become_cell(arguments);
          }};
}

}  // namespace runahead::apps
