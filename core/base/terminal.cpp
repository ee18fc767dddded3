#include "core/base/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <ostream>
#include <string_view>

#include "core/base/text.h"

namespace runahead {
namespace {

/// Also clears whatever a user typed meanwhile.
constexpr const char* kClear = "\r\033[J";
constexpr const char* kLineUp = "\033[A";

}  // namespace

std::optional<std::size_t> terminal_columns(int file_descriptor) noexcept {
  constexpr std::size_t kUsualColumns = 80;
  if (::isatty(file_descriptor) != 1) return std::nullopt;
  const char* term = std::getenv("TERM");
  if (term != nullptr && std::string_view(term) == "dumb") return std::nullopt;
  winsize size{};
  if (::ioctl(file_descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsualColumns;
  return size.ws_col;
}

void LinesInPlace::show(const std::vector<std::string>& lines) {
  shown_ = joined(lines, "\n");
  if (!lines.empty()) shown_ += '\r';
  for (std::size_t i = 1; i < lines.size(); ++i) shown_ += kLineUp;
  out_ << kClear + shown_ << std::flush;
}

void LinesInPlace::print_above(const std::string& line) {
  out_ << kClear + line + "\n" + shown_ << std::flush;
}

void LinesInPlace::clear() {
  if (shown_.empty()) return;
  shown_.clear();
  out_ << kClear << std::flush;
}

}  // namespace runahead
