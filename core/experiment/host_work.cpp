#include "core/experiment/host_work.h"

#include <chrono>

#include "core/engine/spin.h"

namespace runahead::experiment {

void work_for(double seconds) {
  if (seconds <= 0.0) return;
  const std::chrono::duration<double> time(seconds);
  engine::spin_until([] { return false; }, std::chrono::ceil<std::chrono::nanoseconds>(time));
}

}  // namespace runahead::experiment
