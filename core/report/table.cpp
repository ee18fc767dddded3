#include "core/report/table.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/base/number_text.h"

namespace runahead::report {
namespace {

using Fields = std::vector<std::string>;

/// UTF-8 characters: bytes that continue none.
std::size_t character_count(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  }));
}

/// The headings and then the rows, each text through `escape`.
std::vector<Fields> grid_of(const Table& table,
                            const std::function<std::string(const std::string&)>& escape) {
  std::vector<Fields> grid(1);
  for (const std::string& heading : table.headings) grid[0].push_back(escape(heading));
  for (const Row& row : table.rows) {
    grid.emplace_back();
    for (const Cell& cell : row.cells) grid.back().push_back(escape(cell.text));
  }
  return grid;
}

std::vector<std::size_t> widths_of(const std::vector<Fields>& grid) {
  std::vector<std::size_t> widths(grid[0].size());
  for (const Fields& row : grid) {
    for (std::size_t column = 0; column < widths.size(); ++column) {
      widths[column] = std::max(widths[column], character_count(row[column]));
    }
  }
  return widths;
}

std::string padded(const std::string& text, std::size_t width, bool is_left) {
  const std::string padding(width - character_count(text), ' ');
  return is_left ? text + padding : padding + text;
}

std::string line_of(const Fields& row, const std::vector<std::size_t>& widths,
                    std::size_t text_columns, const char* separator) {
  std::string line;
  for (std::size_t column = 0; column < row.size(); ++column) {
    line +=
        (column == 0 ? "" : separator) + padded(row[column], widths[column], column < text_columns);
  }
  return line;
}

}  // namespace

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
  std::string field;
  for (const char character : text) {
    if (character == '|') field += '\\';
    field += character == '\n' ? ' ' : character;
  }
  return field;
}

std::string to_markdown(const Table& table) {
  const std::vector<Fields> grid = grid_of(table, markdown_field);
  const std::vector<std::size_t> widths = widths_of(grid);
  std::string text;
  for (std::size_t row = 0; row < grid.size(); ++row) {
    text += "| " + line_of(grid[row], widths, table.text_columns, " | ") + " |\n";
    if (row > 0) continue;
    Fields rule;
    for (std::size_t column = 0; column < widths.size(); ++column) {
      const bool is_text = column < table.text_columns;
      rule.push_back(std::string(widths[column] - (is_text ? 0 : 1), '-') + (is_text ? "" : ":"));
    }
    text += "| " + line_of(rule, widths, table.text_columns, " | ") + " |\n";
  }
  return text;
}

std::string to_text(const Table& table, std::size_t most_rows) {
  std::vector<Fields> grid = grid_of(table, [](const std::string& text) { return text; });
  grid.resize(std::min(grid.size(), most_rows + 1));
  const std::vector<std::size_t> widths = widths_of(grid);
  std::string text;
  for (const Fields& row : grid) {
    const std::string line = line_of(row, widths, row.size(), "  ");
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t column = 0; column < fields.size(); ++column) {
    if (column > 0) line += ',';
    if (fields[column].find_first_of(",\"\r\n") == std::string::npos) {
      line += fields[column];
      continue;
    }
    line += '"';
    for (const char character : fields[column]) {
      if (character == '"') line += '"';
      line += character;
    }
    line += '"';
  }
  return line + '\n';
}

std::string csv_number(std::optional<double> value) {
  std::string text;
  if (!value) return text;
  if (*value == std::floor(*value) && std::abs(*value) < 1e15) {
    append_number(text, std::llround(*value));
  } else {
    append_number(text, *value);
  }
  return text;
}

}  // namespace runahead::report
