#include "core/experiment/host_work.h"

#include <string>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"

namespace runahead::experiment {

void work_for(double seconds) {
  const TimePoint begun = Clock::now();
  while (seconds > 0.0 && seconds_between(begun, Clock::now()) < seconds) {
  }
}

WorkingSource::WorkingSource(std::unique_ptr<train::BatchSource> source, double seconds_per_batch)
    : source_(std::move(source)), seconds_per_batch_(seconds_per_batch) {
  RUNAHEAD_REQUIRE(source_ != nullptr, "there is no source to work beside");
  RUNAHEAD_REQUIRE(seconds_per_batch_ >= 0.0,
                   "seconds_per_batch is " + std::to_string(seconds_per_batch_));
}

train::Batch WorkingSource::next() {
  work_for(seconds_per_batch_);
  return source_->next();
}

}  // namespace runahead::experiment
