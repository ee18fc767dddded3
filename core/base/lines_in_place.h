#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace runahead {

/// Lines at the end of a terminal that change in place. The cursor rests at the beginning of the
/// first: whoever else writes a line there and first clears what follows the cursor, as log() does,
/// takes their place, and the next `show` puts them below it. Used from one thread.
class LinesInPlace {
 public:
  /// `out`, the terminal, must outlive this.
  explicit LinesInPlace(std::ostream& out) : out_(out) {}
  ~LinesInPlace() { clear(); }
  LinesInPlace(const LinesInPlace&) = delete;
  LinesInPlace& operator=(const LinesInPlace&) = delete;

  /// Replaces the lines. None may have a newline, or be as wide as the terminal.
  void show(const std::vector<std::string>& lines);

  /// Writes a line that stays, above them.
  void print_above(const std::string& line);

  /// Takes them away.
  void clear();

 private:
  std::ostream& out_;
  std::string shown_{};  ///< What draws them, from the cursor on.
};

}  // namespace runahead
