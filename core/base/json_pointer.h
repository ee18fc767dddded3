#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace runahead {

/// JSON pointers (RFC 6901): "" is the document, "/data/features" a nested key; "~1" stands for a
/// slash within a key and "~0" for a tilde.

/// The pointer to `key` in the object that `parent` points to.
[[nodiscard]] std::string child_pointer(std::string_view parent, std::string_view key);

/// A human-readable pointer, with keys that are themselves pointers in quotes:
/// `/axes "/sync/policy" /range` for "/axes/~1sync~1policy/range".
[[nodiscard]] std::string pointer_text(std::string_view pointer);

/// The keys of a pointer, in order. @throws ConfigError if it is malformed or has more than 64
/// keys, the maximum depth of a document.
[[nodiscard]] std::vector<std::string> split_pointer(std::string_view pointer);

}  // namespace runahead
