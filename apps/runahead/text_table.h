#pragma once

#include <string>
#include <vector>

namespace runahead::apps {

inline constexpr double kBytesPerMegabyte = 1e6;

/// A table of plain text: aligned columns, two spaces between them, a rule under the header.
class TextTable {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string header{};
    Align align = Align::kRight;
  };

  explicit TextTable(std::vector<Column> columns);

  /// @throws UsageError unless there is one cell a column.
  void add_row(std::vector<std::string> cells);

  /// The table, each line ended; UTF-8 text is aligned by characters.
  [[nodiscard]] std::string to_string() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_{};
};

}  // namespace runahead::apps
