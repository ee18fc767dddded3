#include "core/record/progress_writer.h"

#include <chrono>
#include <exception>
#include <utility>

#include "core/base/clock.h"
#include "core/base/periodic.h"

namespace runahead::record {

std::jthread start_progress_writer(std::filesystem::path path, double period_seconds,
                                   std::function<CellProgress()> progress) {
  const auto write = [path = std::move(path), progress = std::move(progress),
                      start = Clock::now()] {
    try {
      CellProgress now = progress();
      now.seconds = seconds_between(start, Clock::now());
      write_cell_progress(path, now);
    } catch (const std::exception&) {
      return;  // For example, no memory or a full disk: the run itself should report that.
    }
  };
  return every(std::chrono::duration<double>(period_seconds), write);
}

}  // namespace runahead::record
