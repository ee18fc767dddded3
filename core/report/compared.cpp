#include "core/report/compared.h"

#include "core/base/statistics.h"

namespace runahead::report {
namespace {

std::optional<double> median_of(const std::optional<Spread>& spread) {
  return spread ? std::optional(spread->median) : std::nullopt;
}

bool scatter_and_overlap(const Spread& first, const Spread& second) {
  const bool scatter = first.min < first.max || second.min < second.max;
  return scatter && first.min <= second.max && second.min <= first.max;
}

}  // namespace

bool Compared::directions_agree() const {
  return has_medians() && ratio && difference() * (ratio->value - 1.0) > 0.0;
}

bool Compared::is_within_noise() const {
  if (ratio && ratio->chance) return may_be_noise || !directions_agree();
  return scatter_overlaps;
}

bool Compared::is_judged() const {
  if (ratio) return ratio->chance.has_value();
  return has_medians() && !is_left_out && first_count > 1 && second_count > 1;
}

Compared compare_values(const std::vector<double>& first, const std::vector<double>& second) {
  const std::optional<Spread> left = spread_of(first);
  const std::optional<Spread> right = spread_of(second);
  const std::optional<Ratio> ratio = of_two(first, second);
  return {.first_median = median_of(left),
          .second_median = median_of(right),
          .first_count = first.size(),
          .second_count = second.size(),
          .ratio = ratio,
          .may_be_noise = ratio && ratio->value != 1.0,
          .scatter_overlaps = left && right && scatter_and_overlap(*left, *right)};
}

void judge_together(const std::vector<Compared*>& all) {
  std::vector<std::optional<Ratio>> ratios;
  for (const Compared* one : all) ratios.push_back(one->ratio);
  for (const std::size_t index : discoveries(ratios)) all[index]->may_be_noise = false;
}

}  // namespace runahead::report
