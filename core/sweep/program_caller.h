#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/sweep/child_process.h"
#include "core/sweep/interrupt_watch.h"

namespace runahead::sweep {

/// Runs programs as children, one at a time, and captures what they print. During its lifetime,
/// SIGINT, SIGTERM and SIGHUP end the child instead of this process. No child outlives it.
class ProgramCaller {
 public:
  /// @param log_folder  Must exist; holds the output of the last call, which is bounded.
  explicit ProgramCaller(std::filesystem::path log_folder) : log_folder_(std::move(log_folder)) {}

  /// Blocks until the program has ended. @return its stdout.
  /// @throws InterruptedError if the user asked to stop, now or in an earlier call; Error with its
  ///         last error line if it did not exit with 0; UnavailableError if it cannot be executed.
  [[nodiscard]] std::string call(const std::filesystem::path& program,
                                 const std::vector<std::string>& arguments);

 private:
  void interrupt();

  std::filesystem::path log_folder_;
  SingleChild child_{};
  InterruptWatch watch_{child_.context(), [this](int) { interrupt(); }};
  bool interrupted_ = false;
};

}  // namespace runahead::sweep
