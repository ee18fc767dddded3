#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace runahead {

/// The current width of the terminal `file_descriptor`, in characters; 80 if it does not report
/// one. nullopt if it is not a terminal, or cannot move its cursor (TERM is "dumb").
[[nodiscard]] std::optional<std::size_t> terminal_columns(int file_descriptor) noexcept;

/// Lines at the end of a terminal that change in place. The cursor rests at the beginning of the
/// first. A writer that clears everything after the cursor and writes a line, as log() does,
/// replaces them; the next `show` puts them below that line. Used by one thread.
class LinesInPlace {
 public:
  /// `out`, the terminal, must outlive this.
  explicit LinesInPlace(std::ostream& out) : out_(out) {}
  ~LinesInPlace() { clear(); }
  LinesInPlace(const LinesInPlace&) = delete;
  LinesInPlace& operator=(const LinesInPlace&) = delete;

  /// Replaces the lines. None may contain a newline or be as wide as the terminal.
  void show(const std::vector<std::string>& lines);

  /// Writes a permanent line above the lines.
  void print_above(const std::string& line);

  /// Removes the lines.
  void clear();

 private:
  std::ostream& out_;
  std::string shown_{};  ///< The text that draws them, from the cursor on.
};

}  // namespace runahead
