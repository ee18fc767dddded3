#include "core/base/log.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <exception>

#include "core/base/enum_names.h"
#include "core/base/file.h"
#include "core/base/terminal.h"

namespace runahead {
namespace {

constexpr std::string_view kReset = "\033[0m";
constexpr std::string_view kClearFromCursor = "\033[J";

struct LevelStyle {
  std::string_view label{};
  std::string_view colour{};
};

/// In the order of the enum.
constexpr std::array<LevelStyle, 3> kStyles{
    {{}, {"warning: ", "\033[33m"}, {"error: ", "\033[31m"}}};

}  // namespace

void log(LogLevel level, std::string_view message) noexcept {
  try {
    std::string line = format_log_line(level, message, wants_colour(STDERR_FILENO));
    if (terminal_columns(STDERR_FILENO)) line.insert(0, kClearFromCursor);
    // One write per line: the kernel does not mix the lines of several threads and processes.
    static_cast<void>(write_all(STDERR_FILENO, line));
  } catch (const std::exception&) {
    return;
  }
}

void log_info(std::string_view message) noexcept { log(LogLevel::kInfo, message); }
void log_warning(std::string_view message) noexcept { log(LogLevel::kWarning, message); }
void log_error(std::string_view message) noexcept { log(LogLevel::kError, message); }

std::string format_log_line(LogLevel level, std::string_view message, bool coloured) {
  const LevelStyle& style = name_at(kStyles, level);
  std::string line = "runahead: ";
  if (coloured) line += style.colour;
  line += style.label;
  if (coloured && !style.colour.empty()) line += kReset;
  line += message;
  line += '\n';
  return line;
}

std::string_view without_error_prefix(std::string_view line) {
  constexpr std::string_view kPrefix = "runahead: error: ";
  return line.starts_with(kPrefix) ? line.substr(kPrefix.size()) : line;
}

bool wants_colour(int file_descriptor) noexcept {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* term = std::getenv("TERM");
  if (term != nullptr && std::string_view(term) == "dumb") return false;
  return ::isatty(file_descriptor) == 1;
}

}  // namespace runahead
