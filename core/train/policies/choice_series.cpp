#include "core/train/policies/choice_series.h"

namespace runahead::train {

void ChoiceSeries::note(std::uint64_t most_in_flight) {
  choices_.push_back({.batch = batches_, .most_in_flight = most_in_flight});
  if (choices_.size() > kMostChoices) choices_.pop_front();
}

void ChoiceSeries::restart() noexcept {
  batches_ = 0;
  choices_.clear();
}

}  // namespace runahead::train
