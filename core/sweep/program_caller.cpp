#include "core/sweep/program_caller.h"

#include <boost/asio/io_context.hpp>
#include <optional>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/sweep/child_process.h"
#include "core/sweep/interrupt_watch.h"

namespace runahead::sweep {

namespace {
constexpr std::size_t kMaxOutputBytes = std::size_t{1} << 20;
}  // namespace

class ProgramCaller::State {
 public:
  explicit State(std::filesystem::path log_folder) : log_folder_(std::move(log_folder)) {}

  ~State() {
    if (child_) child_->stop(StopReason::kInterrupted);
    while (child_) context_.run_one();
  }

  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::string call(const std::filesystem::path& program,
                   const std::vector<std::string>& arguments) {
    context_.poll();
    if (interrupted_) throw InterruptedError("interrupted");
    std::optional<ChildEnd> end;
    child_ = ChildProcess::start(
        context_, {.program = program, .arguments = arguments, .log_folder = log_folder_}, {},
        [&](const ChildEnd& ended) {
          end = ended;
          child_.reset();
        });
    while (!end) context_.run_one();
    if (interrupted_) throw InterruptedError("interrupted");
    if (end->signal || end->exit_code != 0) throw Error(failure_text(program, *end));
    return read_file(log_folder_ / "stdout.txt", kMaxOutputBytes);
  }

 private:
  void interrupt() {
    interrupted_ = true;
    if (child_) child_->stop(StopReason::kInterrupted);
  }

  static std::string failure_text(const std::filesystem::path& program, const ChildEnd& end) {
    std::string text = "'" + program.string() + "' ended ";
    text += end.signal ? "by signal " + std::to_string(*end.signal)
                       : "with exit code " + std::to_string(end.exit_code);
    if (!end.last_error_line.empty()) text += "; its last words: " + end.last_error_line;
    return text;
  }

  std::filesystem::path log_folder_;
  boost::asio::io_context context_{1};
  InterruptWatch watch_{context_, [this](int) { interrupt(); }};
  std::shared_ptr<ChildProcess> child_{};
  bool interrupted_ = false;
};

ProgramCaller::ProgramCaller(std::filesystem::path log_folder)
    : state_(std::make_unique<State>(std::move(log_folder))) {}

ProgramCaller::~ProgramCaller() = default;

std::string ProgramCaller::call(const std::filesystem::path& program,
                                const std::vector<std::string>& arguments) {
  return state_->call(program, arguments);
}

}  // namespace runahead::sweep
