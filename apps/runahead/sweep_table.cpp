#include "apps/runahead/sweep_table.h"

#include <algorithm>

#include "apps/runahead/text_table.h"

namespace runahead::apps {

namespace {

constexpr std::size_t kMostRows = 100;  ///< Of cells, and of the values of one axis.

std::string spread_text(record::Unit unit, const std::optional<Spread>& spread) {
  if (!spread) return "-";
  const std::string median = record::text_of(unit, spread->median);
  const std::string min = record::text_of(unit, spread->min);
  const std::string max = record::text_of(unit, spread->max);
  return min == max ? median : median + " (" + min + " to " + max + ")";
}

std::string without_slash(const std::string& pointer) {
  return pointer.starts_with('/') ? pointer.substr(1) : pointer;
}

std::string value_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : dump_json(value);
}

/// Every axis of the cells, in the order in which they come: not every cell has every axis.
std::vector<std::string> pointers_of(const std::vector<sweep::CellSummary>& summaries) {
  std::vector<std::string> pointers;
  for (const sweep::CellSummary& summary : summaries) {
    for (const auto& axis : summary.axes.items()) {
      if (std::find(pointers.begin(), pointers.end(), axis.key()) == pointers.end()) {
        pointers.push_back(axis.key());
      }
    }
  }
  return pointers;
}

void add_figure_columns(std::vector<TextTable::Column>& columns) {
  columns.push_back({"status", TextTable::Align::kLeft});
  for (const record::Figure& figure : sweep::sweep_figures()) columns.push_back({figure.label});
}

void add_figures(const sweep::CellSummary& summary, std::vector<std::string>& row) {
  row.push_back(summary.status);
  for (std::size_t index = 0; index < sweep::sweep_figures().size(); ++index) {
    row.push_back(spread_text(sweep::sweep_figures()[index].unit, summary.figures[index]));
  }
}

/// A row for each value of each axis.
std::string axis_table(const std::vector<sweep::AxisSummary>& axes) {
  std::vector<TextTable::Column> columns{{"axis", TextTable::Align::kLeft},
                                         {"value", TextTable::Align::kLeft}};
  add_figure_columns(columns);
  TextTable table(columns);
  std::string left_out;
  for (const sweep::AxisSummary& axis : axes) {
    if (axis.values.size() > kMostRows) {
      left_out += without_slash(axis.pointer) + " has " + std::to_string(axis.values.size()) +
                  " values, which are too many to list here\n";
      continue;
    }
    for (const sweep::CellSummary& value : axis.values) {
      std::vector<std::string> row{without_slash(axis.pointer),
                                   value_text(value.axes.begin().value())};
      add_figures(value, row);
      table.add_row(std::move(row));
    }
  }
  return table.to_string() + left_out;
}

}  // namespace

std::string sweep_table(const std::vector<sweep::CellSummary>& summaries) {
  const std::vector<std::string> pointers = pointers_of(summaries);
  std::vector<TextTable::Column> columns;
  for (const std::string& pointer : pointers) {
    columns.push_back({without_slash(pointer), TextTable::Align::kLeft});
  }
  add_figure_columns(columns);

  TextTable table(columns);
  for (const sweep::CellSummary& summary : summaries) {
    std::vector<std::string> row;
    for (const std::string& pointer : pointers) {
      const auto value = summary.axes.find(pointer);
      row.push_back(value == summary.axes.end() ? "-" : value_text(*value));
    }
    add_figures(summary, row);
    table.add_row(std::move(row));
  }
  return table.to_string();
}

std::string sweep_tables(const sweep::Plan& plan, const sweep::SweepResult& result) {
  const bool lists_cells = plan.cells.size() <= kMostRows;
  const std::vector<sweep::AxisSummary> axes = sweep::summarise_axes(plan, result);
  std::string text = lists_cells ? sweep_table(sweep::summarise(plan, result)) : "";
  if (!lists_cells || axes.size() > 1) text += (text.empty() ? "" : "\n") + axis_table(axes);
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
    text += without_slash(axis.key()) + '=' + value_text(axis.value());
  }
  return text;
}

}  // namespace runahead::apps
