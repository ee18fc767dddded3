#include "core/sweep/paired_ratio.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/error.h"
#include "core/base/statistics.h"

namespace runahead::sweep {

namespace {

/// Student's t for the pairs of each look, its 0.9839 quantile.
constexpr std::array<double, PairedRatio::kLooks.size()> kStudent{5.444, 2.943, 2.532, 2.379};

/// Of at least two values, over n - 1.
double standard_deviation(const std::vector<double>& values, double mean) {
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

RatioInterval interval_of(const std::vector<double>& log_ratios, double t) {
  const double center = mean(log_ratios);
  const double half_width = t * standard_deviation(log_ratios, center) /
                            std::sqrt(static_cast<double>(log_ratios.size()));
  return {.lower = std::exp(center - half_width),
          .ratio = std::exp(center),
          .upper = std::exp(center + half_width)};
}

}  // namespace

PairedRatio::PairedRatio(double target) : target_(target) {
  RUNAHEAD_REQUIRE(target > 0.0, "a target share is above 0");
}

void PairedRatio::add(double candidate, double base) {
  RUNAHEAD_REQUIRE(candidate > 0.0 && base > 0.0, "a ratio needs figures above 0");
  RUNAHEAD_REQUIRE(log_ratios_.size() < kMostPairs, "there are pairs enough");
  log_ratios_.push_back(std::log(candidate / base));
  const auto look = std::find(kLooks.begin(), kLooks.end(), log_ratios_.size());
  if (look == kLooks.end()) return;
  interval_ = interval_of(log_ratios_, kStudent[static_cast<std::size_t>(look - kLooks.begin())]);
}

Verdict PairedRatio::verdict() const {
  if (!interval_) return Verdict::kNone;
  if (interval_->lower >= target_) return Verdict::kKeeps;
  if (interval_->upper < target_) return Verdict::kDoesNotKeep;
  return Verdict::kNone;
}

bool PairedRatio::needs_more() const {
  return verdict() == Verdict::kNone && log_ratios_.size() < kMostPairs;
}

}  // namespace runahead::sweep
