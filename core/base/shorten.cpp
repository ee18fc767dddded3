#include "core/base/shorten.h"

namespace runahead {

std::string shortened(std::string_view text, std::size_t longest_bytes) {
  if (text.size() <= longest_bytes) return std::string(text);
  std::size_t end = longest_bytes;
  // Do not cut inside a sequence, whose bytes except the first are 10xxxxxx.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace runahead
