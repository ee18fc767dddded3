#include "core/report/two_sweeps.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/base/spread.h"
#include "core/report/run_tables.h"

namespace runahead::report {
namespace {

using record::Figure;

std::optional<double> median_of(const std::vector<double>& values) {
  const std::optional<Spread> spread = spread_of(values);
  return spread ? std::optional(spread->median) : std::nullopt;
}

Compared compare_figure(const Figure& figure, const CellPair& cell) {
  const std::vector<double> first = ok_values(cell.first, figure.pointer);
  const std::vector<double> second = ok_values(cell.second, figure.pointer);
  const std::optional<Ratio> ratio = of_two(first, second);
  return {.first_median = median_of(first),
          .second_median = median_of(second),
          .first_count = first.size(),
          .second_count = second.size(),
          .ratio = ratio,
          .may_be_noise = ratio && ratio->value != 1.0};
}

double difference_of(const Compared& one) { return *one.second_median - *one.first_median; }

/// Whether a change of the figure is worth naming by its size.
bool is_large(const Figure& figure, const Ratio& ratio, double difference) {
  if (figure.unit == record::Unit::kBytes && std::abs(difference) < kLeastBytes) return false;
  return std::abs(ratio.value - 1.0) >= kLeastChange;
}

bool is_worth_naming(const Figure& figure, const Compared& one) {
  // The text shows medians next to the ratio of geometric means; an outlier can make them disagree.
  const bool agree = difference_of(one) * (one.ratio->value - 1.0) > 0.0;
  return agree && is_large(figure, *one.ratio, difference_of(one));
}

void name_change(const Figure& figure, Compared& one) {
  const bool grew = one.ratio->value > 1.0;
  one.change = grew ? more_word(figure) : less_word(figure);
  one.is_worse = grew == (figure.worse == record::Worse::kMore);
}

}  // namespace

std::optional<Ratio> TwoSweeps::overall(std::size_t figure) const {
  std::vector<Ratio> ratios;
  for (const CellPair& cell : both) {
    if (cell.figures[figure].ratio) ratios.push_back(*cell.figures[figure].ratio);
  }
  return over_all(ratios);
}

std::optional<Ratio> TwoSweeps::overall_change(std::size_t figure) const {
  const std::optional<Ratio> ratio = both.size() > 1 ? overall(figure) : std::nullopt;
  if (!ratio || !ratio->lower || (*ratio->lower <= 1.0 && *ratio->upper >= 1.0))
    return std::nullopt;
  const bool is_large_somewhere = std::any_of(both.begin(), both.end(), [&](const CellPair& cell) {
    const Compared& one = cell.figures[figure];
    return one.ratio && is_large(figures[figure], *ratio, difference_of(one));
  });
  return is_large_somewhere ? ratio : std::nullopt;
}

TwoSweeps compare_sweeps(std::span<const Run> first, std::span<const Run> second) {
  CellPairs pairs = pair_cells(first, second);
  TwoSweeps two{.first_source = first.empty() ? "" : first.front().source,
                .second_source = second.empty() ? "" : second.front().source,
                .figures = record::figures_in(record::kComparison),
                .both = std::move(pairs.both),
                .alone = std::move(pairs.alone)};
  for (auto* cells : {&two.both, &two.alone}) {
    for (CellPair& cell : *cells) {
      for (const Figure& figure : two.figures) {
        cell.figures.push_back(compare_figure(figure, cell));
      }
    }
  }
  std::vector<std::optional<Ratio>> ratios;
  for (const CellPair& cell : two.both) {
    for (const Compared& one : cell.figures) ratios.push_back(one.ratio);
  }
  for (const std::size_t index : discoveries(ratios)) {
    const std::size_t figure = index % two.figures.size();
    Compared& one = two.both[index / two.figures.size()].figures[figure];
    one.may_be_noise = false;
    if (is_worth_naming(two.figures[figure], one)) name_change(two.figures[figure], one);
  }
  return two;
}

}  // namespace runahead::report
