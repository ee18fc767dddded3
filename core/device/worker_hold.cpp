#include "core/device/worker_hold.h"

#include <chrono>
#include <thread>

#include "core/base/error.h"
#include "core/device/runtime.h"

namespace runahead::device {

// A sleeping worker takes no second operation, so one per worker holds all of them.
void hold_workers(double seconds) {
  RUNAHEAD_REQUIRE(seconds > 0.0, "workers are held for a time above 0");
  Runtime& runtime = Runtime::get();
  const int workers = is_blocking_requested() ? 0 : runtime.options().workers;
  RUNAHEAD_REQUIRE(workers > 0, "without workers operations run at issue: there is none to hold");
  const std::chrono::duration<double> duration(seconds);
  for (int worker = 0; worker < workers; ++worker) {
    runtime.push({.name = "hold", .body = [duration] { std::this_thread::sleep_for(duration); }});
  }
}

}  // namespace runahead::device
