#include "core/memory/proc_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

namespace runahead::memory {
namespace {

/// Files that others in this process can still open when many ProcFiles are.
constexpr rlim_t kFilesLeft = 16;

int open_to_read(const std::string& path) noexcept {
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

/// Whether enough files can be opened next to one, which has the lowest free number.
bool leaves_room(int file_descriptor) noexcept {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
         static_cast<rlim_t>(file_descriptor) + kFilesLeft < limit.rlim_cur;
}

std::optional<std::string_view> read_from(int file_descriptor, std::span<char> buffer) noexcept {
  ssize_t count = -1;
  do {
    count = ::pread(file_descriptor, buffer.data(), buffer.size(), 0);
  } while (count < 0 && errno == EINTR);
  if (count <= 0) return std::nullopt;
  return std::string_view(buffer.data(), static_cast<std::size_t>(count));
}

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

}  // namespace

ProcFile::ProcFile(const std::string& path) : file_descriptor_(open_to_read(path)) {
  const bool is_open = file_descriptor_ >= 0;
  if (is_open ? leaves_room(file_descriptor_) : errno != EMFILE && errno != ENFILE) return;
  path_ = path;
  if (is_open) ::close(std::exchange(file_descriptor_, -1));
}

ProcFile::~ProcFile() {
  if (file_descriptor_ >= 0) ::close(file_descriptor_);
}

ProcFile::ProcFile(ProcFile&& other) noexcept
    : file_descriptor_(std::exchange(other.file_descriptor_, -1)), path_(std::move(other.path_)) {}

ProcFile& ProcFile::operator=(ProcFile&& other) noexcept {
  std::swap(file_descriptor_, other.file_descriptor_);
  std::swap(path_, other.path_);
  return *this;
}

std::optional<std::string_view> ProcFile::read(std::span<char> buffer) const noexcept {
  if (file_descriptor_ >= 0) return read_from(file_descriptor_, buffer);
  const int opened = path_.empty() ? -1 : open_to_read(path_);
  if (opened < 0) return std::nullopt;
  const auto text = read_from(opened, buffer);
  ::close(opened);
  return text;
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
