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
  return has_medians() && difference() * (ratio ? ratio->value - 1.0 : difference()) > 0.0;
}

bool Compared::is_within_noise() const {
  if (chance) return may_be_noise || !directions_agree();
  return scatter_overlaps;
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
          .chance = ratio ? ratio->chance : chance_of_difference(first, second),
          .may_be_noise = !ratio || ratio->value != 1.0,
          .scatter_overlaps = left && right && scatter_and_overlap(*left, *right)};
}

void judge_together(const std::vector<Compared*>& all) {
  std::vector<std::optional<double>> chances;
  for (const Compared* one : all) chances.push_back(one->chance);
  for (const std::size_t index : discoveries(chances)) all[index]->may_be_noise = false;
}

}  // namespace runahead::report
