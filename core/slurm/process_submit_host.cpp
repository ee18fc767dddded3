#include "core/slurm/process_submit_host.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <optional>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/executable.h"
#include "core/base/file.h"
#include "core/sweep/child_process.h"
#include "core/sweep/interrupt_watch.h"

namespace runahead::slurm {

namespace fs = std::filesystem;

namespace {

constexpr double kCommandSeconds = 60.0;
constexpr double kSubmitSeconds = 120.0;
constexpr std::size_t kMaxOutputBytes = std::size_t{1} << 20;

fs::path find_program(const std::string& name) {
  if (auto program = find_executable(name, search_path())) return *std::move(program);
  throw UnavailableError("Slurm's '" + name +
                         "' was not found in PATH: start the sweep where sbatch works, or with "
                         "--launcher local");
}

}  // namespace

class ProcessSubmitHost::State {
 public:
  explicit State(fs::path log_folder) : log_folder_(std::move(log_folder)) {
    make_folder(log_folder_);
  }

  /// Waits for the child, whose end handler refers to this object.
  ~State() {
    if (child_) child_->stop(sweep::StopReason::kInterrupted);
    while (child_) context_.run_one();
  }

  State(const State&) = delete;
  State& operator=(const State&) = delete;

  CommandOutput call(const std::vector<std::string>& command) {
    RUNAHEAD_REQUIRE(!command.empty(), "a command has a name");
    std::optional<sweep::ChildEnd> end;
    child_ = sweep::ChildProcess::start(
        context_,
        {.program = find_program(command.front()),
         .arguments = {command.begin() + 1, command.end()},
         .log_folder = log_folder_},
        {.wall_seconds = command.front() == "sbatch" ? kSubmitSeconds : kCommandSeconds},
        [&](const sweep::ChildEnd& ended) {
          end = ended;
          child_.reset();
        });
    while (!end) context_.run_one();
    CommandOutput output{.exit_code = end->stopped || end->signal ? -1 : end->exit_code,
                         .out = read_file(log_folder_ / "stdout.txt", kMaxOutputBytes),
                         .err = read_file(log_folder_ / "stderr.txt", kMaxOutputBytes)};
    if (end->stopped) output.err += "no answer within the time limit";
    return output;
  }

  void wait(double seconds) {
    const auto is_over = std::make_shared<bool>(false);
    boost::asio::steady_timer timer(context_);
    timer.expires_after(std::chrono::duration_cast<std::chrono::steady_clock::duration>(
        std::chrono::duration<double>(seconds)));
    timer.async_wait([is_over](const boost::system::error_code&) { *is_over = true; });
    while (!*is_over && interrupts_ == interrupts_seen_) context_.run_one();
  }

  bool interrupted() {
    context_.poll();
    interrupts_seen_ = interrupts_;
    return interrupts_ > 0;
  }

 private:
  fs::path log_folder_;
  boost::asio::io_context context_{1};
  int interrupts_ = 0;
  int interrupts_seen_ = 0;  ///< Those that interrupted() reported; later ones end a wait.
  sweep::InterruptWatch watch_{context_, [this](int) { ++interrupts_; }};
  std::shared_ptr<sweep::ChildProcess> child_{};
};

void require_slurm() { static_cast<void>(find_program("sbatch")); }

ProcessSubmitHost::ProcessSubmitHost(fs::path log_folder)
    : state_(std::make_unique<State>(std::move(log_folder))) {}

ProcessSubmitHost::~ProcessSubmitHost() = default;

CommandOutput ProcessSubmitHost::call(const std::vector<std::string>& command) {
  return state_->call(command);
}

void ProcessSubmitHost::wait(double seconds) { state_->wait(seconds); }

double ProcessSubmitHost::now_seconds() {
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

bool ProcessSubmitHost::interrupted() { return state_->interrupted(); }

}  // namespace runahead::slurm
