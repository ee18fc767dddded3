#include "core/train/slow_source.h"

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

}  // namespace runahead::train
