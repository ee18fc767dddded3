#include "apps/runahead/sweep_table.h"

#include <algorithm>
#include <cstdio>
#include <functional>

#include "apps/runahead/text_table.h"

namespace runahead::apps {

namespace {

constexpr std::size_t kMostRows = 100;  ///< Of cells, and of the values of one axis.

/// The figures of the table, in its order.
struct FigureColumn {
  std::string header{};
  std::optional<Spread> sweep::CellSummary::*figure = nullptr;
  double unit = 1.0;          ///< What one of the column's unit is in the figure's.
  const char* format = "%g";  ///< printf, of one double.
};

const std::vector<FigureColumn>& figure_columns() {
  static const std::vector<FigureColumn> columns{
      {"issue s", &sweep::CellSummary::issue_seconds, 1.0, "%.3f"},
      {"total s", &sweep::CellSummary::total_seconds, 1.0, "%.3f"},
      {"RSS growth MB", &sweep::CellSummary::rss_growth_bytes, kBytesPerMegabyte, "%.1f"},
      {"batches in flight", &sweep::CellSummary::batches_peak, 1.0, "%g"},
      {"held MB", &sweep::CellSummary::held_peak_bytes, kBytesPerMegabyte, "%.1f"},
      {"final loss", &sweep::CellSummary::loss_last, 1.0, "%.6g"}};
  return columns;
}

std::string format_number(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string format_spread(const FigureColumn& column, const std::optional<Spread>& spread) {
  if (!spread) return "-";
  const auto text = [&](double value) { return format_number(column.format, value / column.unit); };
  const std::string median = text(spread->median);
  const std::string min = text(spread->min);
  const std::string max = text(spread->max);
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
  for (const FigureColumn& column : figure_columns()) columns.push_back({column.header});
}

void add_figures(const sweep::CellSummary& summary, std::vector<std::string>& row) {
  row.push_back(summary.status);
  for (const FigureColumn& column : figure_columns()) {
    row.push_back(format_spread(column, summary.*column.figure));
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
