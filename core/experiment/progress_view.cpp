#include "core/experiment/progress_view.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <ostream>
#include <string>
#include <utility>

#include "core/base/lines_in_place.h"

namespace runahead::experiment {
namespace {

constexpr std::chrono::milliseconds kTerminalPeriod{100};
constexpr std::chrono::milliseconds kLogPeriod{1000};

}  // namespace

ProgressView::ProgressView(ProgressOutput output, std::function<record::CellProgress()> progress)
    : thread_([output = std::move(output), progress = std::move(progress)](
                  const std::stop_token& stop) { run(stop, output, progress); }) {}

void ProgressView::run(const std::stop_token& stop, const ProgressOutput& output,
                       const std::function<record::CellProgress()>& progress) {
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
  LinesInPlace lines(*output.out);
  while (sleep()) lines.show(progress_lines(progress(), columns().value_or(1), output.coloured));
}

}  // namespace runahead::experiment
