#include "core/experiment/launch_queue_depth.h"

#include <vector>

#include "core/base/statistics.h"

namespace runahead::experiment {
namespace {

constexpr double kBlockedShare = 0.1;  ///< Of the hold; a launch that blocks takes more.
constexpr double kClockShare = 0.01;   ///< By which the device's clock may differ from ours.

struct Launch {
  double begun_seconds = 0.0;
  double returned_seconds = 0.0;
};

bool has_blocked(const HeldDevice& device, const Launch& launch, double hold_seconds) {
  if (launch.returned_seconds - launch.begun_seconds <= kBlockedShare * hold_seconds) return false;
  return launch.returned_seconds >= (1.0 - kClockShare) * hold_seconds || !device.is_held();
}

std::string why_none_blocked(const HeldDevice& device, std::int64_t launches,
                             std::int64_t most_launches) {
  const std::string number = std::to_string(launches);
  if (!device.is_held()) {
    return "after " + number +
           " launches the device was no longer held, and none had blocked; raise /hold_seconds";
  }
  if (launches == most_launches) {
    return "none of " + number + " launches blocked; raise /launches to look further";
  }
  return "the hold was nearly over after " + number +
         " launches, and none had blocked; raise /hold_seconds";
}

}  // namespace

LaunchQueue fill_launch_queue(HeldDevice& device, double hold_seconds, std::int64_t most_launches) {
  LaunchQueue queue;
  std::vector<double> times;
  const std::uint64_t claimed_before = device.claimed_bytes();
  device.hold(hold_seconds);
  while (queue.launches < most_launches) {
    Launch launch{.begun_seconds = device.seconds()};
    if (launch.begun_seconds > (1.0 - kBlockedShare) * hold_seconds) break;
    device.launch();
    launch.returned_seconds = device.seconds();
    const double taken = launch.returned_seconds - launch.begun_seconds;
    if (has_blocked(device, launch, hold_seconds)) {
      queue.blocked_seconds = taken;
      break;
    }
    times.push_back(taken);
    ++queue.launches;
    const std::uint64_t claimed = device.claimed_bytes();
    queue.kept_bytes = claimed > claimed_before ? claimed - claimed_before : 0;
  }
  if (!times.empty()) queue.launch_seconds = median(times);
  if (!queue.blocked_seconds) {
    queue.unknown_because = why_none_blocked(device, queue.launches, most_launches);
  }
  return queue;
}

}  // namespace runahead::experiment
