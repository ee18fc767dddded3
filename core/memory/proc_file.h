#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace runahead::memory {

/// A file of /proc or a cgroup, kept open and read repeatedly; thread-safe. The kernel produces
/// such a file whole in one read, so a reading is one system call and consistent. Where this
/// process may open few more files (RLIMIT_NOFILE), it is opened for each reading instead.
class ProcFile {
 public:
  /// An absent file is no error: reads return nullopt.
  explicit ProcFile(const std::string& path);
  ~ProcFile();
  ProcFile(ProcFile&& other) noexcept;
  ProcFile& operator=(ProcFile&& other) noexcept;

  /// The file's current text, as much as fits in `buffer`; the result points into `buffer`. Does
  /// not allocate.
  [[nodiscard]] std::optional<std::string_view> read(std::span<char> buffer) const noexcept;

 private:
  int file_descriptor_ = -1;
  std::string path_{};  ///< Empty unless it is opened for each reading.
};

/// The bytes in a line such as "VmHWM:     5120 kB"; nullopt if no line has this key. `key`
/// includes its colon.
[[nodiscard]] std::optional<std::uint64_t> find_kib_field(std::string_view text,
                                                          std::string_view key) noexcept;

/// The number in a file that holds a single one; nullopt if it does not start with one ("max").
[[nodiscard]] std::optional<std::uint64_t> parse_count(std::string_view text) noexcept;

}  // namespace runahead::memory
