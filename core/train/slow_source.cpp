#include "core/train/slow_source.h"

#include <chrono>
#include <thread>
#include <utility>

#include "core/base/error.h"

namespace runahead::train {

SlowSource::SlowSource(std::unique_ptr<BatchSource> source, std::function<void()> delay)
    : source_(std::move(source)), delay_(std::move(delay)) {
  RUNAHEAD_REQUIRE(source_ != nullptr, "there is no source to slow down");
  RUNAHEAD_REQUIRE(delay_ != nullptr, "there is no delay to slow it down by");
}

Batch SlowSource::next() {
  delay_();
  return source_->next();
}

std::unique_ptr<BatchSource> with_delay(std::unique_ptr<BatchSource> source,
                                        double seconds_per_batch) {
  if (seconds_per_batch <= 0.0) return source;
  const std::chrono::duration<double> delay(seconds_per_batch);
  return std::make_unique<SlowSource>(std::move(source),
                                      [delay] { std::this_thread::sleep_for(delay); });
}

}  // namespace runahead::train
