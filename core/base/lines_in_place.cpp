#include "core/base/lines_in_place.h"

#include <ostream>

#include "core/base/text.h"

namespace runahead {
namespace {

/// Also clears whatever a user typed meanwhile.
constexpr const char* kClear = "\r\033[J";
constexpr const char* kLineUp = "\033[A";

}  // namespace

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
