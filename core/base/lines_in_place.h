#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace runahead {

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
