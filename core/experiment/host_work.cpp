#include "core/experiment/host_work.h"

#include "core/base/clock.h"

namespace runahead::experiment {

void work_for(double seconds) {
  const TimePoint begun = Clock::now();
  while (seconds > 0.0 && seconds_between(begun, Clock::now()) < seconds) {
  }
}

}  // namespace runahead::experiment
