#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdlib>

#include "apps/cell/command.h"
#include "apps/program/program.h"
#include "core/base/sanitizers.h"

namespace {

/// Profilers are libraries that are loaded into the process and write their last data at its exit.
bool is_profiled() {
  constexpr std::array kVariables{"LD_PRELOAD", "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"};
  return std::ranges::any_of(kVariables,
                             [](const char* name) { return std::getenv(name) != nullptr; });
}

}  // namespace

int main(int argc, char** argv) {
  using namespace runahead::cell;
  CLI::App program("Runs one experiment; `runahead` starts it.", "runahead-cell");
  const int code = runahead::apps::run_program(
      program,
      {add_run_command(program), add_devices_command(program), add_calibrate_command(program),
       add_bench_dispatch_command(program), add_bench_transfer_command(program)},
      argc, argv);
  // LibTorch would take 0.1 s to unregister everything, operator by operator. Leak checkers of
  // sanitizers run at a normal exit.
  if (!runahead::kHasSanitizer && !is_profiled()) std::quick_exit(code);
  return code;
}
