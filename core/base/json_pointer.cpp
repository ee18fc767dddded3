#include "core/base/json_pointer.h"

#include <algorithm>
#include <cstddef>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"

namespace runahead {
namespace {

constexpr std::ptrdiff_t kMostKeys = 64;  ///< The maximum depth of a document (JsonBounds).

[[noreturn]] void refuse_length(std::string_view pointer) {
  constexpr std::size_t kShownBytes = 40;
  throw ConfigError("\"" + shortened(pointer, kShownBytes) + "\" is a JSON pointer of more than " +
                    std::to_string(kMostKeys) + " keys; allowed: at most that");
}

[[noreturn]] void refuse(std::string_view pointer) {
  throw ConfigError("\"" + std::string(pointer) +
                    "\" is not a JSON pointer; allowed: a slash before each key, as in "
                    "\"/data/batch_size\" (\"~1\" for a slash within a key, \"~0\" for a tilde)");
}

}  // namespace

std::string child_pointer(std::string_view parent, std::string_view key) {
  return std::string(parent) + (Json::json_pointer() / std::string(key)).to_string();
}

std::string pointer_text(std::string_view pointer) {
  if (pointer.find("~1") == std::string_view::npos) return std::string(pointer);
  std::string text;
  for (const std::string& key : split_pointer(pointer)) {
    const bool is_quoted = key.find('/') != std::string::npos;
    const bool follows_quote = !text.empty() && text.back() == '"';
    if (is_quoted || follows_quote) text += text.empty() ? "" : " ";
    text += is_quoted ? '"' + key + '"' : child_pointer("", key);
  }
  return text;
}

std::vector<std::string> split_pointer(std::string_view pointer) {
  if (pointer.starts_with('/') && std::ranges::count(pointer, '/') > kMostKeys) {
    refuse_length(pointer);
  }
  std::vector<std::string> keys;
  try {
    for (Json::json_pointer left{std::string(pointer)}; !left.empty(); left.pop_back()) {
      keys.push_back(left.back());
    }
  } catch (const Json::parse_error&) {
    refuse(pointer);
  }
  std::ranges::reverse(keys);
  return keys;
}

}  // namespace runahead
