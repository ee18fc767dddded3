#include "core/sweep/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/readable_pipe.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/process/v2/process.hpp>
#include <boost/process/v2/stdio.hpp>
#include <cerrno>
#include <chrono>

#include "core/base/affinity.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/memory/process_probe.h"
#include "core/memory/process_tree.h"
#include "core/sweep/bounded_log.h"
#include "core/sweep/cell_cgroup.h"
#include "core/sweep/failed_exec.h"
#include "core/sweep/open_file_limit.h"
#include "core/sweep/subreaper.h"

namespace runahead::sweep {

namespace asio = boost::asio;
namespace process = boost::process::v2;
using boost::system::error_code;

namespace {

constexpr std::uint64_t kLogHeadBytes = 256 * 1024;
constexpr std::uint64_t kLogTailBytes = 256 * 1024;
constexpr std::chrono::milliseconds kMemoryWatchPeriod{20};
constexpr double kKillAtOnceOver = 1.1;   ///< Times the memory limit; no grace beyond it.
constexpr int kPausePerShareReading = 9;  ///< Times what a reading takes.
constexpr int kDrainReads = 64;

/// The kernel kills at once where the RSS watch, which lets a child shut down cleanly, is too late.
std::unique_ptr<CellCgroup> make_cgroup(const ChildLimits& limits) {
  if (!limits.rss_bytes || !limits.use_cgroup) return nullptr;
  return CellCgroup::make(
      static_cast<std::uint64_t>(kKillAtOnceOver * static_cast<double>(*limits.rss_bytes)));
}

/// Runs in the child between fork and exec. @return an errno, 0 if all went well.
int restrict_to(const std::vector<int>& cpus) {
  try {
    if (!cpus.empty()) restrict_calling_thread(cpus);
    return 0;
  } catch (const Error&) {
    return EINVAL;
  }
}

/// Runs in the child between fork and exec.
struct Guarded {
  const std::vector<int>& cpus;
  const CellCgroup* cgroup = nullptr;
  pid_t parent = ::getpid();

  error_code on_exec_setup(process::posix::default_launcher&, const process::filesystem::path&,
                           const char* const*) const {
    int error = split_off_subreaper(parent, cgroup != nullptr ? cgroup->folder().c_str() : nullptr);
    if (error == 0) error = restrict_to(cpus);
    // If joining fails, the watch on RSS remains.
    if (error == 0 && cgroup != nullptr) static_cast<void>(cgroup->join());
    // Last, because with all of the parent's files open, nothing more can be opened under the lower
    // limit.
    if (error == 0) error = restore_open_file_limit();
    errno = error;  // The launcher reports it to the parent.
    return {error, boost::system::system_category()};
  }
};

/// Memory of everything that a subreaper guards.
struct GuardedMemory {
  std::uint64_t sum_bytes = 0;
  std::uint64_t largest_bytes = 0;  ///< Of one process.
};

/// @param bytes_of  The memory of a process; 0: it has just ended.
/// @return nullopt if nothing is left. The subreaper itself shares this process's memory.
template <typename BytesOf>
std::optional<GuardedMemory> guarded_memory(pid_t subreaper, const BytesOf& bytes_of) {
  const std::vector<pid_t> processes = memory::tree_processes(subreaper);
  if (processes.size() == 1) return std::nullopt;
  GuardedMemory memory;
  for (const pid_t process : processes) {
    if (process == subreaper) continue;
    const std::uint64_t bytes = bytes_of(process);
    memory.sum_bytes += bytes;
    memory.largest_bytes = std::max(memory.largest_bytes, bytes);
  }
  return memory;
}

std::uint64_t rss_bytes_of(pid_t process) {
  return memory::ProcessProbe(process).rss_bytes().value_or(0);
}

/// RSS in which pages that processes share are divided among them. Takes 10 ms per GB.
std::uint64_t share_bytes_of(pid_t process) {
  const memory::Reading share = memory::proportional_set_bytes(process);
  return share ? *share : rss_bytes_of(process);
}

/// One of the child's output streams, copied to a log as it arrives.
class CapturedStream {
 public:
  CapturedStream(asio::io_context& context, const std::filesystem::path& path)
      : pipe_(context), log_(path, kLogHeadBytes, kLogTailBytes) {}

  asio::readable_pipe& pipe() { return pipe_; }
  [[nodiscard]] const BoundedLog& log() const { return log_; }

  /// Keeps reading until the stream ends or stop_reading() is called; meanwhile `owner` keeps this
  /// object alive.
  void read(const std::shared_ptr<void>& owner) {
    pipe_.async_read_some(asio::buffer(buffer_),
                          [this, owner](const error_code& error, std::size_t bytes) {
                            log_.append({buffer_.data(), bytes});
                            if (!error && !is_stopped_) read(owner);
                          });
  }

  /// Starts no further read. A completed one may still wait in the context's queue.
  void stop_reading() { is_stopped_ = true; }

  /// Drains the pipe, up to a bound, and closes pipe and log. No read may wait in the queue.
  void finish() {
    const int descriptor = pipe_.native_handle();
    ::fcntl(descriptor, F_SETFL, O_NONBLOCK);
    for (int reads = 0; reads < kDrainReads; ++reads) {
      const ssize_t bytes = ::read(descriptor, buffer_.data(), buffer_.size());
      if (bytes <= 0) break;
      log_.append({buffer_.data(), static_cast<std::size_t>(bytes)});
    }
    error_code ignored;
    pipe_.close(ignored);
    log_.close();
  }

 private:
  asio::readable_pipe pipe_;
  BoundedLog log_;
  std::array<char, 16 * 1024> buffer_{};
  bool is_stopped_ = false;
};

class BoostChildProcess final : public ChildProcess {
 public:
  BoostChildProcess(asio::io_context& context, const ChildCommand& command,
                    const ChildLimits& limits, EndHandler on_end)
      : context_(context),
        limits_(limits),
        on_end_(std::move(on_end)),
        stdout_(context, command.log_folder / "stdout.txt"),
        stderr_(context, command.log_folder / "stderr.txt"),
        time_limit_(context),
        memory_watch_(context),
        grace_(context),
        cgroup_(make_cgroup(limits)),
        process_(launch(context, command)) {}

  void begin() {
    stdout_.read(shared_from_this());
    stderr_.read(shared_from_this());
    process_.async_wait([this, self = shared_from_this()](const error_code&, int) { finish(); });
    if (limits_.wall_seconds) {
      time_limit_.expires_after(duration_of(*limits_.wall_seconds));
      time_limit_.async_wait([this, self = shared_from_this()](const error_code& error) {
        if (!error) stop(StopReason::kTimedOut);
      });
    }
    if (limits_.rss_bytes) watch_memory();
  }

  void stop(StopReason reason) override {
    if (stopped_ || ended_) return;
    stopped_ = reason;
    signal_group(SIGTERM);
    grace_.expires_after(duration_of(limits_.grace_seconds));
    grace_.async_wait([this, self = shared_from_this()](const error_code& error) {
      if (!error && !ended_) kill_all();
    });
  }

  [[nodiscard]] std::optional<std::uint64_t> rss_bytes() const override {
    const auto memory = ended_ ? std::nullopt : guarded_memory(process_.id(), rss_bytes_of);
    return memory ? std::optional(memory->sum_bytes) : std::nullopt;
  }

 private:
  process::process launch(asio::io_context& context, const ChildCommand& command) {
    if (::access(command.program.c_str(), X_OK) != 0) {
      throw UnavailableError("'" + command.program.string() + "' cannot be executed");
    }
    try {
      return process::process(
          context, process::filesystem::path(command.program.string()), command.arguments,
          process::process_stdio{nullptr, stdout_.pipe(), stderr_.pipe()},
          Guarded{.cpus = command.cpus, .cgroup = cgroup_.get()}, SkipExitHandlers{});
    } catch (const boost::system::system_error& error) {
      throw UnavailableError("'" + command.program.string() +
                             "' could not be started: " + error.what());
    }
  }

  void watch_memory() {
    memory_watch_.expires_after(kMemoryWatchPeriod);
    memory_watch_.async_wait([this, self = shared_from_this()](const error_code& error) {
      if (error || ended_) return;
      check_memory();
      watch_memory();
    });
  }

  void check_memory() {
    const auto memory = guarded_memory(process_.id(), rss_bytes_of);
    if (!memory) return;
    rss_peak_bytes_ = std::max(rss_peak_bytes_.value_or(0), memory->sum_bytes);
    const std::uint64_t limit_bytes = *limits_.rss_bytes;
    if (memory->sum_bytes <= limit_bytes) return;
    // One process's RSS counts no page twice; the sum may.
    const std::uint64_t bytes =
        memory->largest_bytes > limit_bytes ? memory->largest_bytes : bytes_without_sharing();
    if (bytes <= limit_bytes) return;
    stop(StopReason::kOutOfMemory);
    if (static_cast<double>(bytes) > kKillAtOnceOver * static_cast<double>(limit_bytes)) kill_all();
  }

  /// Memory in which pages that processes share count once; 0 while that would take too much time.
  std::uint64_t bytes_without_sharing() {
    const TimePoint start = Clock::now();
    if (start < next_share_reading_) return 0;
    const auto memory = guarded_memory(process_.id(), share_bytes_of);
    const TimePoint end = Clock::now();
    next_share_reading_ = end + kPausePerShareReading * (end - start);
    return memory ? memory->sum_bytes : 0;
  }

  void finish() {
    ended_ = true;
    // Nothing is left, unless the subreaper was killed.
    signal_group(SIGKILL);
    if (cgroup_) cgroup_->kill_all();
    if (cgroup_ && cgroup_->has_killed()) {
      stopped_ = stopped_.value_or(StopReason::kOutOfMemory);
      rss_peak_bytes_ = std::max(rss_peak_bytes_.value_or(0), cgroup_->peak_bytes().value_or(0));
    }
    time_limit_.cancel();
    memory_watch_.cancel();
    grace_.cancel();
    stdout_.stop_reading();
    stderr_.stop_reading();
    // After the reads that have already completed.
    asio::post(context_, [this, self = shared_from_this()] { report_end(); });
  }

  void report_end() {
    stdout_.finish();
    stderr_.finish();
    on_end_(describe_end());
  }

  [[nodiscard]] ChildEnd describe_end() const {
    ChildEnd end;
    end.stopped = stopped_;
    end.wall_seconds = seconds_between(start_, Clock::now());
    end.rss_peak_bytes = rss_peak_bytes_;
    end.last_error_line = stderr_.log().last_line();
    end.output_is_whole = stdout_.log().is_whole() && stderr_.log().is_whole();
    const int status = process_.native_exit_code();
    if (WIFSIGNALED(status)) {
      end.signal = WTERMSIG(status);
    } else {
      end.exit_code = WEXITSTATUS(status);
    }
    return end;
  }

  void signal_group(int signal) { ::kill(-process_.id(), signal); }

  void kill_all() {
    ::kill(process_.id(), kKillAllSignal);
    ::kill(process_.id(), SIGCONT);  // A stopped subreaper would not receive that.
  }

  asio::io_context& context_;
  ChildLimits limits_;
  EndHandler on_end_;
  CapturedStream stdout_;
  CapturedStream stderr_;
  asio::steady_timer time_limit_;
  asio::steady_timer memory_watch_;
  asio::steady_timer grace_;
  std::unique_ptr<CellCgroup> cgroup_;  ///< Null: no memory limit, or none can be made.
  TimePoint start_ = Clock::now();
  process::process process_;  ///< The subreaper, which ends as the program does.
  std::optional<std::uint64_t> rss_peak_bytes_{};
  TimePoint next_share_reading_{};
  std::optional<StopReason> stopped_{};
  bool ended_ = false;
};

}  // namespace

std::shared_ptr<ChildProcess> ChildProcess::start(asio::io_context& context,
                                                  const ChildCommand& command,
                                                  const ChildLimits& limits, EndHandler on_end) {
  auto child = std::make_shared<BoostChildProcess>(context, command, limits, std::move(on_end));
  child->begin();
  return child;
}

SingleChild::SingleChild() : context_(std::make_unique<asio::io_context>(1)) {}

SingleChild::~SingleChild() {
  interrupt();
  while (child_) context_->run_one();
}

ChildEnd SingleChild::run(const ChildCommand& command, const ChildLimits& limits) {
  std::optional<ChildEnd> end;
  child_ = ChildProcess::start(*context_, command, limits, [&](const ChildEnd& ended) {
    end = ended;
    child_.reset();
  });
  while (!end) context_->run_one();
  return *end;
}

void SingleChild::interrupt() {
  if (child_) child_->stop(StopReason::kInterrupted);
}

}  // namespace runahead::sweep
