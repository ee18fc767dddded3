#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace runahead {

/// Why a text is not JSON, for its author: the place, the reason in words, the line, and a caret
/// below the character.
///
///     train.json, line 2, column 16: not valid JSON: a comma before '}'; remove it
///       "batches": 7,}
///                    ^
///
/// @param source  Names the text: usually a file.
/// @param offset  Where the parser stopped: within the invalid token, or at its end.
[[nodiscard]] std::string describe_syntax_error(std::string_view text, std::size_t offset,
                                                const std::string& source);

/// The same with the caller's reason; `offset` is the place that is marked.
[[nodiscard]] std::string describe_syntax_error(std::string_view text, std::size_t offset,
                                                const std::string& source,
                                                const std::string& reason);

}  // namespace runahead
