#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace runahead::apps {

/// What a program took.
struct ProgramCost {
  double wall_seconds = 0.0;  ///< From its fork until it has ended.
  /// The highest RSS of it and of each process that it waited for; at least this process's when it
  /// was started.
  std::uint64_t rss_peak_bytes = 0;
};

/// Runs programs, one at a time, for what they take. While it lives, SIGINT, SIGTERM and SIGHUP end
/// the program (by SIGTERM) instead of this process. What it runs leads a process group, and gets
/// SIGTERM when this process ends, however it does.
class ProgramMeter {
 public:
  /// @param log_folder   Exists; gets `stdout.txt` and `stderr.txt` of the last program.
  /// @param environment  What programs get in addition to this process's.
  ProgramMeter(std::filesystem::path log_folder, std::map<std::string, std::string> environment);
  ~ProgramMeter();
  ProgramMeter(const ProgramMeter&) = delete;
  ProgramMeter& operator=(const ProgramMeter&) = delete;

  /// Blocks until the program has ended.
  /// @throws InterruptedError if the user asked to stop, now or in an earlier call; Error with its
  ///         last words if it did not exit with 0.
  ProgramCost run(const std::filesystem::path& program, const std::vector<std::string>& arguments);

  [[nodiscard]] std::filesystem::path stdout_path() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace runahead::apps
