#include "core/record/progress_writer.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

#include "core/base/clock.h"

namespace runahead::record {

ProgressWriter::ProgressWriter(std::filesystem::path path, double period_seconds,
                               std::function<CellProgress()> progress)
    : thread_([path = std::move(path), period_seconds, progress = std::move(progress)](
                  const std::stop_token& stop) { run(stop, path, period_seconds, progress); }) {}

void ProgressWriter::run(const std::stop_token& stop, const std::filesystem::path& path,
                         double period_seconds, const std::function<CellProgress()>& progress) {
  const TimePoint start = Clock::now();
  std::mutex mutex;
  std::condition_variable_any wakes;
  std::unique_lock lock(mutex);
  const std::chrono::duration<double> period(period_seconds);
  for (;;) {
    wakes.wait_for(lock, stop, period, [] { return false; });
    if (stop.stop_requested()) return;
    try {
      CellProgress now = progress();
      now.seconds = seconds_between(start, Clock::now());
      write_cell_progress(path, now);
    } catch (const std::exception&) {
      continue;  // For example, no memory or a full disk: the run itself should report that.
    }
  }
}

}  // namespace runahead::record
