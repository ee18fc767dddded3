#include "core/report/two_sweeps.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/report/run_tables.h"

namespace runahead::report {
namespace {

using record::Figure;

Compared compare_figure(const Figure& figure, const CellPair& cell) {
  Compared one =
      compare_values(ok_values(cell.first, figure.pointer), ok_values(cell.second, figure.pointer));
  if (figure.unit == record::Unit::kSeconds && cell.shares_cpus()) one.ratio.reset();
  return one;
}

/// Whether a change of the figure is worth naming by its size.
bool is_large(const Figure& figure, const Ratio& ratio, double difference) {
  if (figure.unit == record::Unit::kBytes && std::abs(difference) < kLeastBytes) return false;
  return std::abs(ratio.value - 1.0) >= kLeastChange;
}

bool is_worth_naming(const Figure& figure, const Compared& one) {
  // Without a chance nothing shows that the difference is more than noise.
  const bool is_judged = one.ratio && one.ratio->chance && !one.is_within_noise();
  return is_judged && is_large(figure, *one.ratio, one.difference());
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
  const bool is_large_somewhere = std::ranges::any_of(both, [&](const CellPair& cell) {
    const Compared& one = cell.figures[figure];
    return one.ratio && is_large(figures[figure], *ratio, one.difference());
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
      for (const Figure& figure : two.figures) cell.figures.push_back(compare_figure(figure, cell));
    }
  }
  std::vector<Compared*> all;
  for (CellPair& cell : two.both) {
    for (Compared& one : cell.figures) all.push_back(&one);
  }
  judge_together(all);
  for (std::size_t index = 0; index < all.size(); ++index) {
    const Figure& figure = two.figures[index % two.figures.size()];
    if (is_worth_naming(figure, *all[index])) name_change(figure, *all[index]);
  }
  return two;
}

}  // namespace runahead::report
