#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace runahead::apps {

/// The cost of running a program.
struct ProgramCost {
  double wall_seconds = 0.0;  ///< From its fork to its end.
  /// The highest RSS of the program or of any process that it waited for; at least this process's
  /// RSS when the program was started.
  std::uint64_t rss_peak_bytes = 0;
};

/// Runs programs, one at a time, and measures their cost. During its lifetime, SIGINT, SIGTERM and
/// SIGHUP end the program (with SIGTERM) instead of this process. The program leads a process group
/// and gets SIGTERM when this process ends, for whatever reason.
class ProgramMeter {
 public:
  /// @param log_folder   Must exist; receives `stdout.txt` and `stderr.txt` of the last program.
  /// @param environment  Variables that programs get in addition to this process's.
  ProgramMeter(std::filesystem::path log_folder, std::map<std::string, std::string> environment);
  ~ProgramMeter();
  ProgramMeter(const ProgramMeter&) = delete;
  ProgramMeter& operator=(const ProgramMeter&) = delete;

  /// Blocks until the program has ended.
  /// @throws InterruptedError if the user asked to stop, now or in an earlier call; Error with the
  ///         last line of its stderr if it did not exit with 0.
  ProgramCost run(const std::filesystem::path& program, const std::vector<std::string>& arguments);

  [[nodiscard]] std::filesystem::path stdout_path() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace runahead::apps
