#pragma once

#include <string>
#include <string_view>

/// The kinds of run states, and their colours on a terminal.
namespace runahead::report {

/// The kind of a state such as "ok", or of the worst state in a tally such as "2 ok, 1 crashed":
/// "ok", "not-ok", or "unfinished" (skipped, interrupted, not run).
[[nodiscard]] std::string kind_of_states(std::string_view states);

/// `text` in green, red or yellow for these kinds; unchanged for any other.
[[nodiscard]] std::string in_colour(const std::string& text, std::string_view kind);

}  // namespace runahead::report
