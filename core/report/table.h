#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"

namespace runahead::report {

struct Cell {
  std::string text{};
  std::optional<double> number{};  ///< Sort key on the page.
  /// "ok", "not-ok", "unfinished" (kind_of_states) or "differs" for a marked cell; "error" for a
  /// long text.
  std::string kind{};
  std::string link{};  ///< Slug of a comparison on the page.
};

struct Row {
  std::vector<Cell> cells{};
  std::string kind{};
};

/// A table of texts, as shown on a terminal, in Markdown and on the page.
struct Table {
  std::string title{};
  std::vector<std::string> headings{};
  std::size_t text_columns = 1;  ///< Columns on the left that hold text; the others hold numbers.
  std::vector<Row> rows{};

  /// @throws UsageError unless there is one text for each column.
  void add_row(std::vector<std::string> texts);
};

[[nodiscard]] Json to_json(const Table& table);

/// A Markdown table whose columns are also aligned as plain text.
[[nodiscard]] std::string to_markdown(const Table& table);

/// For a terminal: aligned columns, a rule under the headings, then at most `most_rows` rows.
/// @param is_coloured  Colours cells by their kinds.
[[nodiscard]] std::string to_text(const Table& table, std::size_t most_rows = SIZE_MAX,
                                  bool is_coloured = false);

/// `text` as one field of a Markdown table.
[[nodiscard]] std::string markdown_field(const std::string& text);

/// A line of CSV (RFC 4180 quoting) that ends with a newline.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& fields);

/// A number with all its digits, without an exponent if it is at least 1e-12; "" for nullopt.
[[nodiscard]] std::string csv_number(std::optional<double> value);

/// The kind of a state such as "ok", or of the worst state in a tally such as "2 ok, 1 crashed":
/// "ok", "not-ok", or "unfinished" (skipped, interrupted, not run).
[[nodiscard]] std::string kind_of_states(std::string_view states);

/// `text` in green, red or yellow for these kinds; unchanged for any other.
[[nodiscard]] std::string in_colour(const std::string& text, std::string_view kind);

}  // namespace runahead::report
