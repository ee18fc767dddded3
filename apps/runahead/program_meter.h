#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/sweep/interrupt_watch.h"

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
  ProgramMeter(const std::filesystem::path& log_folder,
               std::map<std::string, std::string> environment);

  /// Blocks until the program has ended.
  /// @throws InterruptedError if the user asked to stop, now or in an earlier call; Error with the
  ///         last line of its stderr if it did not exit with 0.
  ProgramCost run(const std::filesystem::path& program, const std::vector<std::string>& arguments);

  [[nodiscard]] const std::filesystem::path& stdout_path() const { return stdout_; }

 private:
  pid_t fork_and_execute(const std::string& program,
                         const std::vector<std::string>& arguments) const;
  /// Runs in the child.
  [[noreturn]] void execute(const std::vector<char*>& argv, pid_t parent) const;
  /// Blocks until the child can be waited for without blocking, and meanwhile forwards interrupts.
  void wait_for_end();
  void interrupt();
  void require_success(const std::filesystem::path& program, int status) const;

  std::filesystem::path stdout_;
  std::filesystem::path stderr_;
  std::map<std::string, std::string> environment_;
  boost::asio::io_context context_{1};
  sweep::InterruptWatch watch_{context_, [this](int) { interrupt(); }};
  pid_t child_ = -1;
  bool is_interrupted_ = false;
};

}  // namespace runahead::apps
