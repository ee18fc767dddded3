#include "core/report/table.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/record/status.h"

namespace runahead::report {
namespace {

using Fields = std::vector<std::string>;

constexpr double kLeastInDigits = 1e-12;  // For CSV; no measured value is smaller.

std::string padded(const std::string& text, std::size_t width, bool is_left) {
  const std::string padding(width - character_count(text), ' ');
  return is_left ? text + padding : padding + text;
}

/// Without control characters, which a terminal would obey.
std::string on_a_terminal(const std::string& text) { return in_one_line(text, std::string::npos); }

std::string quoted(const std::string& field) {
  return '"' + with_replacements(field, {{'"', "\"\""}}) + '"';
}

/// The headings, an empty row for the rule, and the rows.
std::vector<Fields> grid_of(const Table& table, std::size_t most_rows) {
  std::vector<Fields> grid{table.headings, Fields(table.headings.size())};
  for (const Row& row : table.rows) {
    if (grid.size() == most_rows + 2) break;
    Fields& fields = grid.emplace_back();
    for (const Cell& cell : row.cells) fields.push_back(cell.text);
  }
  return grid;
}

/// @param grid  The headings, an empty row for the rule, and the first rows of the table in order.
std::string laid_out(const Table& table, std::vector<Fields> grid, bool is_markdown,
                     bool is_coloured = false) {
  for (std::size_t column = 0; column < table.headings.size(); ++column) {
    std::size_t width = 0;
    for (const Fields& row : grid) width = std::max(width, character_count(row[column]));
    const bool is_left = column < table.text_columns;
    const bool has_colon = is_markdown && !is_left;
    grid[1][column] = std::string(width - (has_colon ? 1 : 0), '-') + (has_colon ? ":" : "");
    for (Fields& row : grid) row[column] = padded(row[column], width, is_left);
    for (std::size_t row = 2; is_coloured && row < grid.size(); ++row) {
      grid[row][column] = in_colour(grid[row][column], table.rows[row - 2].cells[column].kind);
    }
  }
  std::string text;
  for (const Fields& row : grid) {
    std::string line = is_markdown ? "| " : "";
    for (const std::string& field : row) {
      line += (&field == &row.front() ? "" : is_markdown ? " | " : "  ") + field;
    }
    if (is_markdown) line += " |";
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

constexpr std::string_view kBetween = ", ";

/// "crashed" for "1 crashed"; "not run" unchanged.
std::string_view without_count(std::string_view state) {
  const std::size_t name = state.find_first_not_of("0123456789");
  if (name == 0 || name == std::string_view::npos) return state;
  return state.substr(name + 1);
}

}  // namespace

void Table::add_row(std::vector<std::string> texts) {
  RUNAHEAD_REQUIRE(texts.size() == headings.size(), "a row needs one text a column");
  Row row;
  for (std::string& text : texts) row.cells.push_back({.text = std::move(text)});
  rows.push_back(std::move(row));
}

Json to_json(const Table& table) {
  Json rows = Json::array();
  for (const Row& row : table.rows) {
    Json cells = Json::array();
    for (const Cell& cell : row.cells) {
      Json document = {{"text", cell.text}};
      if (cell.number) document["number"] = *cell.number;
      if (!cell.kind.empty()) document["kind"] = cell.kind;
      if (!cell.link.empty()) document["link"] = cell.link;
      cells.push_back(std::move(document));
    }
    rows.push_back({{"kind", row.kind}, {"cells", std::move(cells)}});
  }
  return {{"title", table.title},
          {"headings", table.headings},
          {"text_columns", table.text_columns},
          {"rows", std::move(rows)}};
}

std::string markdown_field(const std::string& text) {
  return on_a_terminal(with_replacements(text, {{'|', "\\|"}, {'\n', " "}}));
}

std::string to_markdown(const Table& table) {
  std::vector<Fields> grid = grid_of(table, table.rows.size());
  for (Fields& row : grid) std::ranges::transform(row, row.begin(), markdown_field);
  return laid_out(table, std::move(grid), true);
}

std::string to_text(const Table& table, std::size_t most_rows, bool is_coloured) {
  std::vector<Fields> grid = grid_of(table, std::min(most_rows, table.rows.size()));
  for (Fields& row : grid) std::ranges::transform(row, row.begin(), on_a_terminal);
  return laid_out(table, std::move(grid), false, is_coloured);
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) {
    if (&field != &fields.front()) line += ',';
    const bool is_plain = field.find_first_of(",\"\r\n") == std::string::npos;
    line += is_plain ? field : quoted(field);
  }
  return line + '\n';
}

std::string csv_number(std::optional<double> value) {
  std::string text;
  if (!value) return text;
  if (*value == 0.0 || std::abs(*value) >= kLeastInDigits) {
    append_number(text, *value + 0.0, std::chars_format::fixed);  // Without the sign of -0.0.
  } else {
    append_number(text, *value);
  }
  return text;
}

std::string kind_of_states(std::string_view states) {
  using record::Status;
  bool is_unfinished = false;
  while (!states.empty()) {
    const std::size_t end = std::min(states.find(kBetween), states.size());
    const std::string_view name = without_count(states.substr(0, end));
    states.remove_prefix(std::min(end + kBetween.size(), states.size()));
    const auto status = record::status_of(name);
    if (status == Status::kOk) continue;
    if (name != "not run" && status != Status::kSkipped && status != Status::kInterrupted) {
      return "not-ok";
    }
    is_unfinished = true;
  }
  return is_unfinished ? "unfinished" : "ok";
}

std::string in_colour(const std::string& text, std::string_view kind) {
  const char* colour = kind == "ok"           ? "\033[32m"
                       : kind == "not-ok"     ? "\033[31m"
                       : kind == "unfinished" ? "\033[33m"
                                              : nullptr;
  return colour == nullptr ? text : colour + text + "\033[0m";
}

}  // namespace runahead::report
