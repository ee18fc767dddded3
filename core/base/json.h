#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace runahead {

/// JSON that keeps the order of keys: a document is written back as it was read.
using Json = nlohmann::ordered_json;

/// The limits of a document.
struct JsonBounds {
  std::size_t bytes = std::size_t{16} << 20;  ///< Of text.
  std::size_t depth = 64;                     ///< Of nested objects and arrays.
};

/// Parses strict JSON: no comments, no repeated keys in an object, nothing after the document.
/// Errors call it `source`.
/// @throws ConfigError naming source, line and column (the JSON pointer for a repeated key).
[[nodiscard]] Json parse_json(std::string_view text, const std::string& source,
                              const JsonBounds& bounds = {});

/// Whether the whole text is JSON, of any size and depth and with any keys.
[[nodiscard]] bool is_json(std::string_view text);

/// parse_json of a file's text. @throws ConfigError also if it is missing or cannot be read.
[[nodiscard]] Json read_json_file(const std::filesystem::path& path, const JsonBounds& bounds = {});

/// JSON text; on one line if `indent` is negative. Non-finite numbers become null, and bytes that
/// are not UTF-8 become the replacement character. Never throws for any document.
[[nodiscard]] std::string dump_json(const Json& document, int indent = -1);

/// The value as JSON; null for nullopt.
template <typename Value>
[[nodiscard]] Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace runahead
