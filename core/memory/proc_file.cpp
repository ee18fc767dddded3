#include "core/memory/proc_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

namespace runahead::memory {
namespace {

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

}  // namespace

ProcFile::ProcFile(const std::string& path) noexcept
    : file_descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

ProcFile::~ProcFile() {
  if (is_open()) ::close(file_descriptor_);
}

ProcFile::ProcFile(ProcFile&& other) noexcept
    : file_descriptor_(std::exchange(other.file_descriptor_, -1)) {}

ProcFile& ProcFile::operator=(ProcFile&& other) noexcept {
  std::swap(file_descriptor_, other.file_descriptor_);
  return *this;
}

std::optional<std::string_view> ProcFile::read(std::span<char> buffer) const noexcept {
  if (!is_open()) return std::nullopt;
  ssize_t count = -1;
  do {
    count = ::pread(file_descriptor_, buffer.data(), buffer.size(), 0);
  } while (count < 0 && errno == EINTR);
  if (count <= 0) return std::nullopt;
  return std::string_view(buffer.data(), static_cast<std::size_t>(count));
}

std::optional<std::uint64_t> find_kib_field(std::string_view text, std::string_view key) noexcept {
  while (!text.empty()) {
    const std::size_t line_end = text.find('\n');
    std::string_view line = text.substr(0, line_end);
    text = line_end == std::string_view::npos ? std::string_view{} : text.substr(line_end + 1);
    if (!line.starts_with(key)) continue;
    line.remove_prefix(key.size());
    skip_blanks(line);
    const std::optional<std::uint64_t> kib = parse_count(line);
    return kib ? std::optional(*kib * 1024) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> parse_count(std::string_view text) noexcept {
  std::uint64_t count = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), count);
  return parsed.ec == std::errc{} ? std::optional(count) : std::nullopt;
}

}  // namespace runahead::memory
