#pragma once

#include <string>
#include <string_view>

namespace runahead {

enum class LogLevel { kInfo, kWarning, kError };

/// Writes one line to stderr: "runahead: warning: <message>" ("runahead: <message>" for infos).
/// Thread-safe: lines from several threads do not mix. Never throws; a line that cannot be written
/// is lost. On a terminal it replaces the lines that change in place (terminal.h).
void log(LogLevel level, std::string_view message) noexcept;

void log_info(std::string_view message) noexcept;
void log_warning(std::string_view message) noexcept;
void log_error(std::string_view message) noexcept;

/// The line that `log` writes, with its newline.
[[nodiscard]] std::string format_log_line(LogLevel level, std::string_view message, bool coloured);

/// The message of a line that log_error() wrote without colour; any other line unchanged.
[[nodiscard]] std::string_view without_error_prefix(std::string_view line);

/// Whether colour is wanted on `file_descriptor`: it is a terminal, TERM is not "dumb", and
/// NO_COLOR (no-color.org) is unset or empty.
[[nodiscard]] bool wants_colour(int file_descriptor) noexcept;

}  // namespace runahead
