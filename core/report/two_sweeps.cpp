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
  one.is_left_out = figure.unit == record::Unit::kSeconds && cell.shares_cpus();
  if (one.is_left_out) {
    one.ratio.reset();
    one.chance.reset();
  }
  return one;
}

/// Whether a change of the figure is worth naming by its size.
bool is_large(const Figure& figure, const std::optional<Ratio>& ratio, double difference) {
  if (figure.unit == record::Unit::kBytes && std::abs(difference) < kLeastBytes) return false;
  return ratio ? std::abs(ratio->value - 1.0) >= kLeastChange : difference != 0.0;
}

void name_change(const Figure& figure, bool grew, Compared& one) {
  one.change = grew ? more_word(figure) : less_word(figure);
  one.is_worse = grew == (figure.worse == record::Worse::kMore);
}

void name_change_of_cell(const Figure& figure, Compared& one) {
  if (one.is_left_out || !one.has_medians()) return;
  if (!is_large(figure, one.ratio, one.difference())) return;
  one.is_open = !one.is_judged();
  if (one.is_open || one.is_within_noise()) return;
  name_change(figure, one.ratio ? one.ratio->value > 1.0 : one.difference() > 0.0, one);
}

Compared compare_together(const std::vector<CellPair>& cells, std::size_t figure) {
  std::vector<Ratio> ratios;
  for (const CellPair& cell : cells) {
    if (cell.figures[figure].ratio) ratios.push_back(*cell.figures[figure].ratio);
  }
  const std::optional<Ratio> ratio = over_all(ratios);
  return {.ratio = ratio, .chance = ratio ? ratio->chance : std::nullopt, .may_be_noise = true};
}

/// Names a change over all cells if it is as large as one cell's must be.
void name_change_together(const TwoSweeps& two, std::size_t figure, Compared& one) {
  const auto is_large_there = [&](const CellPair& cell) {
    const Compared& there = cell.figures[figure];
    return there.ratio && is_large(two.figures[figure], one.ratio, there.difference());
  };
  if (one.may_be_noise || std::ranges::none_of(two.both, is_large_there)) return;
  name_change(two.figures[figure], one.ratio->value > 1.0, one);
}

}  // namespace

bool TwoSweeps::judges_any() const {
  return std::ranges::any_of(both, [](const CellPair& cell) {
    return std::ranges::any_of(cell.figures, &Compared::is_judged);
  });
}

std::size_t TwoSweeps::open_count() const {
  std::size_t count = 0;
  for (const CellPair& cell : both) {
    count += static_cast<std::size_t>(std::ranges::count_if(cell.figures, &Compared::is_open));
  }
  return count;
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
  for (std::size_t figure = 0; figure < two.figures.size(); ++figure) {
    two.together.push_back(compare_together(two.both, figure));
  }
  std::vector<Compared*> all;
  for (CellPair& cell : two.both) {
    for (Compared& one : cell.figures) all.push_back(&one);
  }
  for (Compared& one : two.together) all.push_back(&one);
  judge_together(all);
  for (std::size_t figure = 0; figure < two.figures.size(); ++figure) {
    for (CellPair& cell : two.both) {
      name_change_of_cell(two.figures[figure], cell.figures[figure]);
    }
    name_change_together(two, figure, two.together[figure]);
  }
  return two;
}

}  // namespace runahead::report
