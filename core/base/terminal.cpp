#include "core/base/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace runahead {

std::optional<std::size_t> terminal_columns(int file_descriptor) noexcept {
  constexpr std::size_t kUsualColumns = 80;
  if (::isatty(file_descriptor) != 1) return std::nullopt;
  const char* term = std::getenv("TERM");
  if (term != nullptr && std::string_view(term) == "dumb") return std::nullopt;
  winsize size{};
  if (::ioctl(file_descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsualColumns;
  return size.ws_col;
}

}  // namespace runahead
