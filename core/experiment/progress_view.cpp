#include "core/experiment/progress_view.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace runahead::experiment {
namespace {

constexpr std::chrono::milliseconds kTerminalPeriod{100};
constexpr std::chrono::milliseconds kLogPeriod{1000};

/// Lines that change in place.
class Lines {
 public:
  explicit Lines(std::ostream& out) : out_(out) {}

  void show(const std::vector<std::string>& lines) {
    std::string text = to_first();
    for (std::size_t i = 0; i < lines.size(); ++i) text += (i == 0 ? "" : "\n") + lines[i];
    out_ << text << std::flush;
    shown_ = lines.size();
  }

  void clear() {
    if (shown_ == 0) return;
    out_ << to_first() << std::flush;
    shown_ = 0;
  }

 private:
  /// To the beginning of the first line, with nothing from there on.
  [[nodiscard]] std::string to_first() const {
    std::string text = "\r";
    for (std::size_t line = 1; line < shown_; ++line) text += "\033[A";
    return text + "\033[J";
  }

  std::ostream& out_;
  std::size_t shown_ = 0;
};

}  // namespace

ProgressView::ProgressView(ProgressOutput output, std::function<Progress()> progress)
    : thread_([output = std::move(output), progress = std::move(progress)](
                  const std::stop_token& stop) { run(stop, output, progress); }) {}

void ProgressView::run(const std::stop_token& stop, const ProgressOutput& output,
                       const std::function<Progress()>& progress) {
  const auto columns = [&output] { return output.columns ? output.columns() : std::nullopt; };
  const bool is_terminal = columns().has_value();
  std::mutex mutex;
  std::condition_variable_any wakes;
  std::unique_lock lock(mutex);
  const auto sleep = [&] {
    wakes.wait_for(lock, stop, is_terminal ? kTerminalPeriod : kLogPeriod, [] { return false; });
    return !stop.stop_requested();
  };
  if (!is_terminal) {
    while (sleep()) *output.out << progress_line(progress()) + "\n" << std::flush;
    return;
  }
  Lines lines(*output.out);
  while (sleep()) lines.show(progress_lines(progress(), columns().value_or(1), output.coloured));
  lines.clear();
}

}  // namespace runahead::experiment
