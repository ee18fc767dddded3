#include "core/sweep/paired_ratio.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace runahead::sweep {

namespace {

/// The quantile of Student's distribution at each attempt.
constexpr double kQuantile = 0.98394;

}  // namespace

PairedRatio::PairedRatio(double target) : target_(target) {
  RUNAHEAD_REQUIRE(target > 0.0, "a target share is above 0");
}

void PairedRatio::add(double candidate, double base) {
  RUNAHEAD_REQUIRE(candidate > 0.0 && base > 0.0, "a ratio needs figures above 0");
  RUNAHEAD_REQUIRE(log_ratios_.size() < kMostPairs, "there are pairs enough");
  log_ratios_.push_back(std::log(candidate / base));
  if (std::ranges::find(kAttempts, log_ratios_.size()) == kAttempts.end()) return;
  interval_ = report::of_pairs(log_ratios_, kQuantile);
  if (!interval_->lower) interval_->lower = interval_->upper = interval_->value;
}

Verdict PairedRatio::verdict() const {
  if (!interval_) return Verdict::kNone;
  if (*interval_->lower >= target_) return Verdict::kKeeps;
  if (*interval_->upper < target_) return Verdict::kDoesNotKeep;
  return Verdict::kNone;
}

bool PairedRatio::needs_more() const {
  return verdict() == Verdict::kNone && log_ratios_.size() < kMostPairs;
}

}  // namespace runahead::sweep
