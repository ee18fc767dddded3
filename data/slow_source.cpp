#include "data/slow_source.h"

#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "core/base/error.h"

namespace runahead::data {

SlowSource::SlowSource(std::unique_ptr<train::BatchSource> source, double seconds_per_batch)
    : source_(std::move(source)), seconds_per_batch_(seconds_per_batch) {
  RUNAHEAD_REQUIRE(source_ != nullptr, "there is no source to slow down");
  RUNAHEAD_REQUIRE(seconds_per_batch_ >= 0.0,
                   "seconds_per_batch is " + std::to_string(seconds_per_batch_));
}

train::Batch SlowSource::next() {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds_per_batch_));
  return source_->next();
}

}  // namespace runahead::data
