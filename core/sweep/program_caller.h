#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace runahead::sweep {

/// Runs programs as children, one at a time, and captures what they print. During its lifetime,
/// SIGINT, SIGTERM and SIGHUP end the child instead of this process. No child outlives it.
class ProgramCaller {
 public:
  /// @param log_folder  Must exist; holds the output of the last call, which is bounded.
  explicit ProgramCaller(std::filesystem::path log_folder);
  ~ProgramCaller();
  ProgramCaller(const ProgramCaller&) = delete;
  ProgramCaller& operator=(const ProgramCaller&) = delete;

  /// Blocks until the program has ended. @return its stdout.
  /// @throws InterruptedError if the user asked to stop, now or in an earlier call; Error with its
  ///         last error line if it did not exit with 0; UnavailableError if it cannot be executed.
  [[nodiscard]] std::string call(const std::filesystem::path& program,
                                 const std::vector<std::string>& arguments);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace runahead::sweep
