#include "apps/runahead/attended_process.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/interprocess/anonymous_shared_memory.hpp>
#include <boost/process/v2/process.hpp>
#include <cerrno>
#include <cstring>

#include "core/base/error.h"
#include "core/base/executable.h"
#include "core/base/interruption.h"
#include "core/command/find_program.h"
#include "core/command/tree_monitor.h"
#include "core/sweep/failed_exec.h"
#include "core/sweep/interrupt_watch.h"

namespace runahead::apps {

namespace asio = boost::asio;
namespace process = boost::process::v2;
using boost::system::error_code;

namespace {

constexpr int kSignalled = 128;                     ///< Shells add the signal's number to it.
constexpr std::uint64_t kUntilExecBytes = 1 << 18;  ///< More than a child maps from there to exec.

/// Global, as signals are: the handlers that InterruptWatch has set, and whether the last signal
/// came from the kernel.
std::atomic<void (*)(int)> handler_below{nullptr};
std::atomic<bool> is_from_kernel{false};

void note_sender(int signal, siginfo_t* info, void* /*context*/) {
  is_from_kernel = info->si_code == SI_KERNEL;
  handler_below.load()(signal);
}

/// Makes the handlers of InterruptWatch, which are one function, note where a signal comes from.
void note_senders() {
  for (const int signal : kInterruptions) {
    struct sigaction action {};
    ::sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN || action.sa_handler == SIG_DFL) continue;
    handler_below = action.sa_handler;
    action.sa_flags |= SA_SIGINFO;
    action.sa_sigaction = note_sender;
    ::sigaction(signal, &action, nullptr);
  }
}

/// An initializer of Boost.Process: the child writes its peak memory between fork and exec.
struct WritePeakBeforeExec {
  std::uint64_t& peak_bytes;  ///< In memory that it shares with its parent.

  error_code on_exec_setup(process::posix::default_launcher&, const process::filesystem::path&,
                           const char* const*) const {
    peak_bytes = command::own_rss_peak_bytes();
    return {};
  }
};

class StartedCommand final : public AttendedProcess {
 public:
  explicit StartedCommand(const std::vector<std::string>& command)
      : signals_(context_, [this](int signal) { pass_on(signal); }),
        process_(launch(context_, command)) {
    note_senders();
    reap_orphans();
  }

  int wait() override {
    process_.async_wait([this](const error_code&, int) { context_.stop(); });
    context_.run();
    const int status = process_.native_exit_code();
    return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
  }

  [[nodiscard]] std::uint64_t own_bytes() const override {
    return peak_before_exec() + kUntilExecBytes;
  }

 private:
  [[nodiscard]] std::uint64_t& peak_before_exec() const {
    return *static_cast<std::uint64_t*>(shared_.get_address());
  }

  process::process launch(asio::io_context& context, const std::vector<std::string>& command) {
    const std::string& name = command.front();
    const std::string program = command::find_program(name, search_path()).string();
    try {
      return process::process(context, process::filesystem::path(program),
                              std::vector<std::string>(command.begin() + 1, command.end()),
                              WritePeakBeforeExec{peak_before_exec()}, sweep::SkipExitHandlers{});
    } catch (const boost::system::system_error& error) {
      throw UnavailableError(command::start_failure(name, program, error.code()));
    }
  }

  // Orphans of the command become children of this process. As zombies, they would use up the
  // system's process numbers.
  void reap_orphans() {
    siginfo_t ended{};
    while (::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0 &&
           ended.si_pid != process_.id()) {
      ::waitpid(ended.si_pid, nullptr, WNOHANG);
      ended = {};
    }
    children_.async_wait([this](const error_code& error, int) {
      if (!error) reap_orphans();
    });
  }

  /// A terminal sends its signals (Ctrl-C), as the kernel, to the command too.
  void pass_on(int signal) {
    if (!is_from_kernel) ::kill(process_.id(), signal);
  }

  asio::io_context context_{};
  sweep::InterruptWatch signals_;
  asio::signal_set children_{context_, SIGCHLD};
  boost::interprocess::mapped_region shared_ =
      boost::interprocess::anonymous_shared_memory(sizeof(std::uint64_t));
  process::process process_;
};

class RunningProcess final : public AttendedProcess {
 public:
  explicit RunningProcess(pid_t process_id)
      : signals_(context_, [this](int) { interrupt(); }), end_(context_, open(process_id)) {}

  int wait() override {
    end_.async_wait(asio::posix::stream_descriptor::wait_read,
                    [this](const error_code&) { context_.stop(); });
    context_.run();
    return static_cast<int>(is_interrupted_ ? ExitCode::kInterrupted : ExitCode::kOk);
  }

 private:
  /// A descriptor that becomes readable when the process ends.
  static int open(pid_t process_id) {
    const auto descriptor = static_cast<int>(::syscall(SYS_pidfd_open, process_id, 0U));
    if (descriptor >= 0) return descriptor;
    throw UnavailableError("process " + std::to_string(process_id) +
                           " cannot be monitored: " + std::strerror(errno));
  }

  void interrupt() {
    is_interrupted_ = true;
    context_.stop();
  }

  asio::io_context context_{};
  sweep::InterruptWatch signals_;
  asio::posix::stream_descriptor end_;
  bool is_interrupted_ = false;
};

}  // namespace

std::unique_ptr<AttendedProcess> start_command(const std::vector<std::string>& command) {
  return std::make_unique<StartedCommand>(command);
}

std::unique_ptr<AttendedProcess> attend_process(pid_t process_id) {
  return std::make_unique<RunningProcess>(process_id);
}

}  // namespace runahead::apps
