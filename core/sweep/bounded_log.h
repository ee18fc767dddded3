#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace runahead::sweep {

/// A file that accepts any amount of output and stays small: it keeps the beginning and the end,
/// with a note between them of how many bytes it left out. A full disk, or a file that cannot be
/// created, loses output and nothing else. Not thread-safe.
class BoundedLog {
 public:
  /// Creates or empties the file at `path`. It will hold at most `head_bytes` + `tail_bytes` of the
  /// output and one line of its own.
  BoundedLog(const std::filesystem::path& path, std::uint64_t head_bytes, std::uint64_t tail_bytes);

  void append(std::string_view text);

  /// Writes the kept end and closes the file. Later calls of append() are ignored.
  void close();

  /// The last line, as in core/base/text.h; only the last 500 bytes of a long line. Empty if there
  /// is none. Works even if the file could not be created.
  [[nodiscard]] std::string last_line() const;

  /// Once closed: whether the file holds all of the output.
  [[nodiscard]] bool is_whole() const { return is_whole_; }

 private:
  void trim_tail();

  std::ofstream file_;
  std::uint64_t head_left_bytes_;
  std::uint64_t tail_bytes_;
  std::uint64_t left_out_bytes_ = 0;
  bool is_closed_ = false;
  bool is_whole_ = false;
  std::string tail_;       ///< Output that is not in the file yet, at most 2 * tail_bytes_.
  std::string last_seen_;  ///< The newest output, enough for last_line().
};

}  // namespace runahead::sweep
