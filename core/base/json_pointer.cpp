#include "core/base/json_pointer.h"

#include "core/base/error.h"
#include "core/base/text.h"

namespace runahead {
namespace {

constexpr std::size_t kMostKeys = 64;  ///< The maximum depth of a document (JsonBounds).

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
  std::string pointer(parent);
  pointer += '/';
  for (const char character : key) {
    if (character == '~') {
      pointer += "~0";
    } else if (character == '/') {
      pointer += "~1";
    } else {
      pointer += character;
    }
  }
  return pointer;
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
  std::vector<std::string> keys;
  if (!pointer.empty() && pointer.front() != '/') refuse(pointer);
  for (std::size_t index = 0; index < pointer.size(); ++index) {
    if (pointer[index] == '/') {
      if (keys.size() == kMostKeys) refuse_length(pointer);
      keys.emplace_back();
    } else if (pointer[index] != '~') {
      keys.back() += pointer[index];
    } else {
      const char escaped = index + 1 < pointer.size() ? pointer[index + 1] : '\0';
      if (escaped != '0' && escaped != '1') refuse(pointer);
      keys.back() += escaped == '0' ? '~' : '/';
      ++index;
    }
  }
  return keys;
}

}  // namespace runahead
