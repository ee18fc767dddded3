#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace boost::asio {
class io_context;
}

namespace runahead::sweep {

/// What to execute, and where its output goes.
struct ChildCommand {
  std::filesystem::path program{};
  std::vector<std::string> arguments{};  ///< Without the program's own name.
  std::filesystem::path log_folder{};    ///< Exists; gets `stdout.txt` and `stderr.txt`, bounded.
  std::vector<int> cpus{};               ///< CPUs it may use; empty: those of this process.
};

struct ChildLimits {
  std::optional<double> wall_seconds{};
  /// For the child and its descendants together; pages that they share count once. Checked every
  /// 20 ms, or less often where shared pages decide. Beyond 1.1 times this limit there is no grace.
  std::optional<std::uint64_t> rss_bytes{};
  bool use_cgroup = true;  ///< The kernel enforces 1.1 times that limit if a cgroup can be made.
  double grace_seconds = 1.0;  ///< From SIGTERM to SIGKILL.
};

/// Files that this process keeps open for a live child: two pipes, two logs and a process handle.
inline constexpr int kFilesPerChild = 5;

/// Why a child was asked to stop.
enum class StopReason { kTimedOut, kOutOfMemory, kInterrupted };

/// How a child ended.
struct ChildEnd {
  std::optional<StopReason> stopped{};  ///< Set if it was asked to stop.
  int exit_code = 0;                    ///< Valid if `signal` is nullopt.
  std::optional<int> signal{};          ///< The signal that ended it.
  double wall_seconds = 0.0;            ///< From its start.
  /// The sum of RSS, sampled: pages that processes share count more than once. Or as counted by the
  /// cgroup that killed it; nullopt without a limit.
  std::optional<std::uint64_t> rss_peak_bytes{};
  std::string last_error_line{};  ///< The last line of its stderr, as of a BoundedLog.
  bool output_is_whole = true;    ///< Whether the logs hold all that it printed.
};

/// One child process below a subreaper of its own (subreaper.h), with bounded logs and limits.
/// Everything happens on the thread that runs `context`. Only the start blocks (two forks, under
/// 10 ms).
///
/// Neither the child nor anything it starts can outlive this process, and nothing it starts can
/// outlive the child. The subreaper kills them when the thread that started it ends, however it
/// ends, and when the child has ended.
class ChildProcess : public std::enable_shared_from_this<ChildProcess> {
 public:
  using EndHandler = std::function<void(const ChildEnd&)>;

  /// Starts the child; `on_end` is called once, from `context`.
  /// @throws UnavailableError if the program cannot be executed.
  static std::shared_ptr<ChildProcess> start(boost::asio::io_context& context,
                                             const ChildCommand& command, const ChildLimits& limits,
                                             EndHandler on_end);

  virtual ~ChildProcess() = default;

  /// Sends SIGTERM to the child's group, and SIGKILL after the grace. The first reason is kept.
  virtual void stop(StopReason reason) = 0;

  /// The sum of the RSS of the child and its descendants now; nullopt if the child has ended.
  [[nodiscard]] virtual std::optional<std::uint64_t> rss_bytes() const = 0;
};

/// Runs children, one at a time, on an event loop of its own that runs only meanwhile. None
/// outlives it.
class SingleChild {
 public:
  SingleChild();
  ~SingleChild();
  SingleChild(const SingleChild&) = delete;
  SingleChild& operator=(const SingleChild&) = delete;

  /// The event loop, for what else is to happen on it.
  [[nodiscard]] boost::asio::io_context& context() { return *context_; }

  /// Blocks until the child has ended. @throws UnavailableError if it cannot be executed.
  ChildEnd run(const ChildCommand& command, const ChildLimits& limits = {});

  /// Asks the child to stop, if one runs.
  void interrupt();

 private:
  std::unique_ptr<boost::asio::io_context> context_;
  std::shared_ptr<ChildProcess> child_{};
};

}  // namespace runahead::sweep
