#include "apps/runahead/sweep_table.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/report/labels.h"
#include "core/report/run_tables.h"

namespace runahead::apps {
namespace {

constexpr std::size_t kMostRows = 100;  ///< Bounds the cells, and the values of one axis.

std::string without_slash(const std::string& pointer) {
  return pointer.starts_with('/') ? pointer.substr(1) : pointer;
}

report::Repeats row_of(std::vector<std::string> fields, const sweep::CellSummary& summary) {
  return {.fields = std::move(fields), .states = summary.status, .figures = summary.figures};
}

/// A row for each value of each axis.
std::string axis_table(const std::vector<sweep::AxisSummary>& axes, bool is_coloured) {
  report::RepeatsTable table{.headings = {"axis", "value"}};
  std::string left_out;
  for (const sweep::AxisSummary& axis : axes) {
    const std::string name = without_slash(axis.pointer);
    if (axis.values.size() > kMostRows) {
      left_out += name + " has " + std::to_string(axis.values.size()) +
                  " values, which are too many to list here\n";
      continue;
    }
    for (const sweep::CellSummary& value : axis.values) {
      table.rows.push_back(row_of({name, report::compact(value.axes.begin().value())}, value));
    }
  }
  return to_text(to_table(table), SIZE_MAX, is_coloured) + left_out;
}

}  // namespace

std::string sweep_table(const std::vector<sweep::CellSummary>& summaries, bool is_coloured) {
  std::vector<report::Run> cells;
  for (const sweep::CellSummary& summary : summaries) {
    cells.push_back({.record = {{"axes", summary.axes}}});
  }
  report::RepeatsTable table{.headings = report::axis_pointers(report::pointers_to(cells))};
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    table.rows.push_back(row_of(report::axis_fields(cells[cell], table.headings), summaries[cell]));
  }
  std::ranges::transform(table.headings, table.headings.begin(), without_slash);
  return to_text(to_table(table), SIZE_MAX, is_coloured);
}

std::string sweep_tables(const sweep::Plan& plan, const sweep::SweepResult& result,
                         bool is_coloured) {
  const bool lists_cells = plan.cells.size() <= kMostRows;
  const std::vector<sweep::AxisSummary> axes = sweep::summarise_axes(plan, result);
  std::string text = lists_cells ? sweep_table(sweep::summarise(plan, result), is_coloured) : "";
  if (!lists_cells || axes.size() > 1)
    text += (text.empty() ? "" : "\n") + axis_table(axes, is_coloured);
  if (!lists_cells) {
    text += std::to_string(plan.cells.size()) +
            " cells are too many to list here; `runahead report --table` lists them\n";
  }
  return text;
}

std::string describe_axes(const Json& axes) {
  std::string text;
  for (const auto& axis : axes.items()) {
    if (!text.empty()) text += ' ';
    text += without_slash(axis.key()) + '=' +
            (axis.value().is_string() ? axis.value().get<std::string>() : dump_json(axis.value()));
  }
  return in_one_line(text, std::string::npos);
}

}  // namespace runahead::apps
