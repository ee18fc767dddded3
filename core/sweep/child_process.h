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
  std::vector<int> cpus{};               ///< It may use; empty: those of this process.
};

struct ChildLimits {
  std::optional<double> wall_seconds{};
  /// Of the child and its descendants together, pages that they share counted more than once;
  /// watched every 20 ms. Over 1.1 times of it there is no grace.
  std::optional<std::uint64_t> rss_bytes{};
  bool use_cgroup = true;  ///< Have the kernel keep 1.1 times of it, where a cgroup can be made.
  double grace_seconds = 1.0;  ///< From SIGTERM to SIGKILL.
};

/// Files that this process has open for a child while that lives: two pipes, two logs and a handle
/// of the process.
inline constexpr int kFilesPerChild = 5;

/// Why a child was asked to stop.
enum class StopReason { kTimedOut, kOutOfMemory, kInterrupted };

/// How a child ended.
struct ChildEnd {
  std::optional<StopReason> stopped{};  ///< Set if it was asked to stop.
  int exit_code = 0;                    ///< Valid if `signal` is nullopt.
  std::optional<int> signal{};          ///< The signal that ended it.
  double wall_seconds = 0.0;            ///< From its start.
  /// As the limit counts it, sampled (or as the cgroup that killed it counts); nullopt without one.
  std::optional<std::uint64_t> rss_peak_bytes{};
  std::string last_error_line{};  ///< The last line of its stderr.
};

/// One child process below a subreaper of its own (subreaper.h), with bounded logs and limits.
/// Everything happens on the thread that runs `context`; nothing here blocks but the start (two
/// forks, under 10 ms).
///
/// Neither the child nor what it starts can outlive this process, nor outlive the child itself:
/// the subreaper kills them when the thread that started it ends, however it ends, and when the
/// child has ended.
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

  /// What the child and its descendants take now, as the limit counts it; nullopt if it has ended.
  [[nodiscard]] virtual std::optional<std::uint64_t> rss_bytes() const = 0;
};

}  // namespace runahead::sweep
