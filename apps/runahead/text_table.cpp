#include "apps/runahead/text_table.h"

#include <algorithm>

#include "apps/runahead/characters.h"
#include "core/base/error.h"

namespace runahead::apps {

namespace {

std::string padded(const std::string& text, std::size_t width, TextTable::Align align) {
  const std::string padding(width - std::min(width, character_count(text)), ' ');
  return align == TextTable::Align::kLeft ? text + padding : padding + text;
}

}  // namespace

TextTable::TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

void TextTable::add_row(std::vector<std::string> cells) {
  RUNAHEAD_REQUIRE(cells.size() == columns_.size(), "a row needs one cell a column");
  rows_.push_back(std::move(cells));
}

std::string TextTable::to_string() const {
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    widths.push_back(character_count(columns_[column].header));
    for (const auto& row : rows_) {
      widths.back() = std::max(widths.back(), character_count(row[column]));
    }
  }

  std::string text;
  const auto add_line = [&](const auto& text_of_column) {
    std::string line;
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      if (column > 0) line += "  ";
      line += padded(text_of_column(column), widths[column], columns_[column].align);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  };
  add_line([&](std::size_t column) { return columns_[column].header; });
  add_line([&](std::size_t column) { return std::string(widths[column], '-'); });
  for (const auto& row : rows_) {
    add_line([&](std::size_t column) { return row[column]; });
  }
  return text;
}

}  // namespace runahead::apps
