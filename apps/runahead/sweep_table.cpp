#include "apps/runahead/sweep_table.h"

#include <cmath>
#include <cstdio>
#include <functional>

#include "apps/runahead/text_table.h"

namespace runahead::apps {

namespace {

constexpr double kBytesPerMegabyte = 1e6;

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

}  // namespace

std::string sweep_table(const std::vector<sweep::CellSummary>& summaries) {
  std::vector<TextTable::Column> columns;
  if (!summaries.empty()) {
    for (const auto& axis : summaries.front().axes.items()) {
      columns.push_back({without_slash(axis.key()), TextTable::Align::kLeft});
    }
  }
  columns.push_back({"status", TextTable::Align::kLeft});
  for (const FigureColumn& column : figure_columns()) columns.push_back({column.header});

  TextTable table(columns);
  for (const sweep::CellSummary& summary : summaries) {
    std::vector<std::string> row;
    for (const auto& axis : summary.axes.items()) row.push_back(value_text(axis.value()));
    row.push_back(summary.status);
    for (const FigureColumn& column : figure_columns()) {
      row.push_back(format_spread(column, summary.*column.figure));
    }
    table.add_row(std::move(row));
  }
  return table.to_string();
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
