#include "core/experiment/progress_line.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <ostream>
#include <utility>

namespace runahead::experiment {
namespace {

constexpr std::chrono::milliseconds kFirst{1000};
constexpr std::chrono::milliseconds kPeriod{100};
constexpr const char* kClearLine = "\r\033[K";

}  // namespace

ProgressLine::ProgressLine(std::ostream& out, std::function<std::string()> line)
    : thread_(
          [&out, line = std::move(line)](const std::stop_token& stop) { run(stop, out, line); }) {}

void ProgressLine::run(const std::stop_token& stop, std::ostream& out,
                       const std::function<std::string()>& line) {
  std::mutex mutex;
  std::condition_variable_any wakes;
  std::unique_lock lock(mutex);
  const auto sleep = [&](std::chrono::milliseconds time) {
    wakes.wait_for(lock, stop, time, [] { return false; });
    return !stop.stop_requested();
  };
  if (!sleep(kFirst)) return;
  do {
    out << kClearLine << line() << std::flush;
  } while (sleep(kPeriod));
  out << kClearLine << std::flush;
}

}  // namespace runahead::experiment
