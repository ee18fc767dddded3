#include "core/report/two_sweeps_text.h"

#include <algorithm>
#include <functional>

#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/report/finding.h"
#include "core/report/run_tables.h"

namespace runahead::report {
namespace {

using record::Figure;

constexpr std::size_t kMostNamed = 5;
constexpr std::size_t kMostRows = 100;  ///< In a table on a terminal.
constexpr std::size_t kDifference = 4;  ///< Index of the column "difference".

/// "3 ok", or "3 ok, then 2 ok, 1 crashed" where the sweeps differ.
std::string states_text(const CellPair& cell) {
  const std::string first = states(cell.first);
  const std::string second = states(cell.second);
  return first == second ? first : first + ", then " + second;
}

/// "+43 %"; from a ratio of 10 on "12.3 times".
std::string difference_text(double ratio) {
  if (ratio < 10.0) return signed_percent(ratio - 1.0);
  return (ratio < 999.5 ? three_digits(ratio) : format_count(std::round(ratio))) + " times";
}

std::string interval_text(const Ratio& ratio) {
  return difference_text(*ratio.lower) + " to " + difference_text(*ratio.upper);
}

/// "1 repeat each", "1 and 3 repeats".
std::string repeats_text(const Compared& one) {
  const std::string second = std::to_string(one.second_count);
  if (one.first_count != one.second_count) {
    return std::to_string(one.first_count) + " and " + second + " repeats";
  }
  return second + (one.second_count == 1 ? " repeat each" : " repeats each");
}

/// "3 repeats each: +38 % to +49 %", "1 repeat each: may be noise".
std::string noise_text(const Compared& one) {
  if (!one.ratio && one.change.empty() && !one.is_open) return "-";
  std::string text = repeats_text(one);
  const bool has_interval = one.ratio && one.ratio->lower;
  if (has_interval) text += ": " + interval_text(*one.ratio);
  if (one.may_be_noise) text += has_interval ? ", may be noise" : ": may be noise";
  return text;
}

/// "+43 %"; without a ratio "+25.0 MB" of a change, or of a difference that is open.
std::string difference_text(const Figure& figure, const Compared& one) {
  if (one.ratio) return difference_text(one.ratio->value);
  if (one.change.empty() && !one.is_open) return "-";
  return (one.difference() < 0.0 ? "-" : "+") + text_of(figure.unit, std::abs(one.difference()));
}

/// "20.0 s → 28.5 s (+43 %, 1 repeat each: may be noise)".
std::string change_text(const Figure& figure, const Compared& one) {
  return text_of(figure.unit, one.first_median) + " → " + text_of(figure.unit, one.second_median) +
         " (" + difference_text(figure, one) + ", " + noise_text(one) + ")";
}

bool is_of_runs(const TwoSweeps& two) {
  return two.both.size() == 1 && two.both.front().any().is_single();
}

/// Adds "heading (3): first; second; third", with at most kMostNamed items.
void add_list(const std::string& heading, const std::vector<std::string>& items,
              std::vector<std::string>& sentences) {
  if (items.empty()) return;
  std::string text = heading + " (" + std::to_string(items.size()) + "): ";
  for (std::size_t item = 0; item < std::min(items.size(), kMostNamed); ++item) {
    text += (item == 0 ? "" : "; ") + items[item];
  }
  if (items.size() > kMostNamed) {
    text += "; and " + std::to_string(items.size() - kMostNamed) + " more";
  }
  sentences.push_back(std::move(text));
}

/// The cells that changed in one direction, the largest change first.
std::vector<std::string> changes(const TwoSweeps& two, std::size_t figure, bool is_more) {
  const Figure& about = two.figures[figure];
  std::vector<const CellPair*> cells;
  for (const CellPair& cell : two.both) {
    if (cell.figures[figure].change == (is_more ? more_word(about) : less_word(about))) {
      cells.push_back(&cell);
    }
  }
  std::ranges::stable_sort(cells, [&](const CellPair* left, const CellPair* right) {
    const double one = left->figures[figure].factor();
    const double other = right->figures[figure].factor();
    return is_more ? one > other : one < other;
  });
  std::vector<std::string> texts;
  for (const CellPair* cell : cells) {
    const Compared& one = cell->figures[figure];
    texts.push_back(cell->name() + " " + change_text(about, one));
  }
  return texts;
}

void add_figure(const TwoSweeps& two, std::size_t figure, std::vector<std::string>& found) {
  const auto count = std::ranges::count_if(
      two.both, [&](const auto& cell) { return cell.figures[figure].ratio.has_value(); });
  const Figure& about = two.figures[figure];
  if (const auto& overall = two.together[figure].ratio) {
    found.push_back(std::string(about.label) + ": " + difference_text(overall->value) +
                    (overall->lower ? " (" + interval_text(*overall) + ")" : "") + " over " +
                    counted(static_cast<std::size_t>(count), "cell"));
  }
  add_list(std::string(about.label) + ", " + more_word(about), changes(two, figure, true), found);
  add_list(std::string(about.label) + ", " + less_word(about), changes(two, figure, false), found);
}

template <typename Cells, typename Predicate>
std::vector<std::string> described(const Cells& cells, const Predicate& is_meant, bool has_states) {
  std::vector<std::string> texts;
  for (const CellPair& cell : cells) {
    if (!std::invoke(is_meant, cell)) continue;
    texts.push_back(cell.name() + (has_states ? ", " + states_text(cell) : ""));
  }
  return texts;
}

/// The number of cells in which a figure changed, by the word for the change, in figure order.
std::vector<std::pair<std::string, std::size_t>> counts_of_changes(const TwoSweeps& two) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const Figure& figure : two.figures) {
    for (const std::string word : {more_word(figure), less_word(figure)}) {
      const bool is_known =
          std::ranges::any_of(counts, [&](const auto& one) { return one.first == word; });
      if (is_known) continue;
      const auto has_word = [&](const Compared& one) { return one.change == word; };
      const auto count = std::ranges::count_if(
          two.both, [&](const auto& cell) { return std::ranges::any_of(cell.figures, has_word); });
      counts.emplace_back(word, static_cast<std::size_t>(count));
    }
  }
  return counts;
}

/// Whether a cell has a figure of runs that are ok on both sides.
bool compares_any(const TwoSweeps& two) {
  return std::ranges::any_of(two.both, [](const CellPair& cell) {
    return std::ranges::any_of(cell.figures, &Compared::has_medians);
  });
}

bool leaves_out_times(const TwoSweeps& two) {
  return std::ranges::any_of(two.both, &CellPair::shares_cpus);
}

/// "total time -18 %, peak RSS +4 %": the figures that have changed over all cells.
std::string overall_changes(const TwoSweeps& two) {
  std::vector<std::string> changes;
  for (std::size_t figure = 0; figure < two.figures.size(); ++figure) {
    const Compared& one = two.together[figure];
    if (one.change.empty()) continue;
    changes.push_back(two.figures[figure].label + (" " + difference_text(one.ratio->value)));
  }
  return joined(changes, ", ");
}

Cell difference_cell(const Figure& figure, const Compared& one) {
  return {.text = difference_text(figure, one),
          .number = one.ratio ? std::optional(one.ratio->value) : std::nullopt,
          .kind = one.is_worse         ? "not-ok"
                  : one.change.empty() ? ""
                                       : "differs"};
}

std::vector<std::string> csv_fields(const TwoSweeps& two, const CellPair& cell,
                                    const std::vector<std::string>& pointers) {
  std::vector<std::string> fields = axis_fields(cell.any(), pointers);
  fields.insert(fields.end(), {states(cell.first), states(cell.second)});
  for (std::size_t figure = 0; figure < two.figures.size(); ++figure) {
    const Compared& one = cell.figures[figure];
    const Ratio ratio = one.ratio.value_or(Ratio{});
    fields.insert(fields.end(), {csv_number(one.first_median), std::to_string(one.first_count),
                                 csv_number(one.second_median), std::to_string(one.second_count),
                                 one.ratio ? csv_number(ratio.value) : "", csv_number(ratio.lower),
                                 csv_number(ratio.upper), one.change});
  }
  return fields;
}

}  // namespace

std::string headline(const TwoSweeps& two) {
  std::string text;
  for (const auto& [word, count] : counts_of_changes(two)) {
    if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + word;
  }
  if (text.empty()) {
    const std::string overall = overall_changes(two);
    text = !overall.empty()        ? "no cell changed beyond noise, all together did: " + overall
           : two.judges_any()      ? "no change beyond noise"
           : leaves_out_times(two) ? "times are not compared, because runs shared CPUs"
           : compares_any(two)
               ? "differences may be noise, which only several repeats show"
               : "no figure of runs that are ok on both sides: nothing was compared";
  }
  if (const std::size_t open = two.open_count(); open > 0 && two.judges_any()) {
    text += "; " + counted(open, "difference") + " could not be judged";
  }
  const auto broken = std::ranges::count_if(two.both, &CellPair::broke);
  const auto mended = std::ranges::count_if(two.both, &CellPair::was_mended);
  if (broken > 0) text += "; " + std::to_string(broken) + " no longer ok";
  if (mended > 0) text += "; " + std::to_string(mended) + " ok now";
  return two.second_source + " against " + two.first_source +
         (is_of_runs(two) ? "" : ", " + counted(two.both.size(), "cell")) + ": " + text + ".";
}

std::vector<std::string> sentences(const TwoSweeps& two) {
  std::vector<std::string> found;
  for (std::size_t figure = 0; figure < two.figures.size(); ++figure)
    add_figure(two, figure, found);
  const auto is_first = [](const CellPair& cell) { return cell.second.empty(); };
  const auto is_second = [](const CellPair& cell) { return cell.first.empty(); };
  add_list("no longer ok", described(two.both, &CellPair::broke, true), found);
  add_list("ok now", described(two.both, &CellPair::was_mended, true), found);
  add_list("only in " + two.first_source, described(two.alone, is_first, false), found);
  add_list("only in " + two.second_source, described(two.alone, is_second, false), found);
  return found;
}

std::string method() {
  const auto percent = [](double share) { return three_digits(share * 100.0).substr(0, 2); };
  return "Figures are medians of the runs that are ok. The difference is of geometric means; "
         "behind the repeats is its " +
         percent(kConfidence) +
         " % confidence interval (Welch's, over logarithms), which takes two repeats on each "
         "side. A change of a cell, or over all cells, is named if it is at least 1 %, of memory "
         "at least 1 MB, and if at most 5 % of all named changes are chance (Benjamini and "
         "Hochberg). The means of a figure that was 0 in a run are compared themselves.";
}

Table table_of(const TwoSweeps& two) {
  Table table{
      .headings = {"cell", "figure", two.first_source, two.second_source, "difference", "noise"},
      .text_columns = 2};
  for (const CellPair& cell : two.both) {
    const std::string name = cell.name();
    const std::string before = states(cell.first);
    const std::string after = states(cell.second);
    if (before != after) {
      table.add_row({name, "states", before, after, "-", "-"});
      table.rows.back().kind = cell.broke() ? "not-ok" : "";
    }
    for (std::size_t figure = 0; figure < two.figures.size(); ++figure) {
      const Compared& one = cell.figures[figure];
      if (!one.first_median && !one.second_median) continue;
      const Figure& about = two.figures[figure];
      table.rows.push_back(
          {.cells = {{.text = name},
                     {.text = about.label},
                     {.text = text_of(about.unit, one.first_median), .number = one.first_median},
                     {.text = text_of(about.unit, one.second_median), .number = one.second_median},
                     difference_cell(about, one),
                     {.text = noise_text(one)}}});
    }
  }
  return table;
}

std::string to_text(const TwoSweeps& two) {
  std::string text = headline(two) + "\n";
  for (const std::string& sentence : sentences(two)) text += "  " + sentence + "\n";
  Table table = table_of(two);
  const auto changed = [](const Row& row) {
    return !row.kind.empty() || !row.cells[kDifference].kind.empty();
  };
  std::ranges::stable_sort(table.rows, std::ranges::greater{}, changed);
  text += "\n" + to_text(table, kMostRows);
  if (table.rows.size() > kMostRows) {
    text += "and " + std::to_string(table.rows.size() - kMostRows) +
            " more rows, which --table shows\n";
  }
  return text + method() + "\n";
}

std::string to_markdown(const TwoSweeps& two) {
  std::string text = markdown_field(headline(two)) + "\n\n";
  for (const std::string& sentence : sentences(two)) text += "- " + markdown_field(sentence) + "\n";
  return text + "\n" + to_markdown(table_of(two)) + "\n" + method() + "\n";
}

std::string to_csv(const TwoSweeps& two) {
  std::vector<const Run*> runs;
  for (const auto* cells : {&two.both, &two.alone}) {
    for (const CellPair& cell : *cells) runs.push_back(&cell.any());
  }
  const std::vector<std::string> pointers = axis_pointers(runs);
  std::vector<std::string> header = pointers;
  header.insert(header.end(), {"states_first", "states_second"});
  for (const Figure& figure : two.figures) {
    for (const char* part : {"first_median", "first_count", "second_median", "second_count",
                             "ratio", "ratio_lower", "ratio_upper", "change"}) {
      header.push_back(figure.name + std::string("_") + part);
    }
  }
  std::string text = csv_line(header);
  for (const auto* cells : {&two.both, &two.alone}) {
    for (const CellPair& cell : *cells) text += csv_line(csv_fields(two, cell, pointers));
  }
  return text;
}

Json to_json(const TwoSweeps& two) {
  Json figures = Json::array();
  for (std::size_t figure = 0; figure < two.figures.size(); ++figure) {
    const Figure& about = two.figures[figure];
    Json cells = Json::array();
    std::size_t changed_without_ratio = 0;
    for (const CellPair& cell : two.both) {
      const Compared& one = cell.figures[figure];
      if (!one.ratio && !one.change.empty()) ++changed_without_ratio;
      if (!one.ratio) continue;
      cells.push_back({{"cell", cell.name()},
                       {"text", change_text(about, one)},
                       {"ratio", one.ratio->value},
                       {"lower", or_null(one.ratio->lower)},
                       {"upper", or_null(one.ratio->upper)},
                       {"change", one.change},
                       {"is_worse", one.is_worse}});
    }
    figures.push_back({{"name", about.name},
                       {"label", about.label},
                       {"more", more_word(about)},
                       {"changed_without_ratio", changed_without_ratio},
                       {"cells", std::move(cells)}});
  }
  return {{"sources", {two.first_source, two.second_source}},
          {"headline", headline(two)},
          {"sentences", sentences(two)},
          {"method", method()},
          {"figures", std::move(figures)},
          {"table", to_json(table_of(two))},
          {"text", to_text(two)}};
}

}  // namespace runahead::report
