#include "core/experiment/progress.h"

#include <algorithm>
#include <string_view>

#include "core/base/bytes.h"
#include "core/base/number_text.h"

namespace runahead::experiment {
namespace {

constexpr std::size_t kShortestBar = 4;
constexpr std::size_t kLongestBar = 30;
constexpr std::string_view kIssuedColour = "\033[36m";
constexpr std::string_view kFinishedColour = "\033[32m";
constexpr std::string_view kReset = "\033[0m";

void append(std::string& text, const std::string& part) {
  if (!text.empty()) text += ", ";
  text += part;
}

std::string share(std::uint64_t count, const Progress& progress) {
  return std::to_string(count) + "/" + std::to_string(progress.batches);
}

/// Batches and operations in flight, and memory.
std::string present_state(const Progress& progress) {
  std::string text;
  if (progress.counts) append(text, counted(progress.counts->in_flight, "batch", "batches"));
  if (progress.operations_in_flight) {
    const std::string operations = counted(*progress.operations_in_flight, "operation");
    text += progress.counts ? " (" + operations + ")" : operations;
  }
  if (!text.empty()) text += " in flight";
  if (progress.rss_bytes) append(text, "RSS " + format_bytes(*progress.rss_bytes));
  if (progress.live_bytes) append(text, "live " + format_bytes(*progress.live_bytes));
  return text;
}

/// A bar of `length` characters, filled in proportion to `count` of all batches.
std::string bar(std::uint64_t count, const Progress& progress, std::size_t length,
                std::string_view colour) {
  const auto whole = static_cast<std::uint64_t>(std::max<std::int64_t>(progress.batches, 1));
  const std::size_t full = std::min<std::size_t>(count, whole) * length / whole;
  std::string text(colour);
  for (std::size_t i = 0; i < length; ++i) text += i < full ? "█" : "░";
  if (!colour.empty()) text += kReset;
  return text + " ";
}

/// @param columns  Columns that the line may use.
std::string bars_line(const Progress& progress, std::size_t columns, bool coloured) {
  const std::string issued = share(progress.counts->issued, progress);
  const std::string finished = share(progress.counts->finished, progress);
  const std::string plain = "issued " + issued + "  finished " + finished;
  const std::size_t spaces = 2;  // One after each bar.
  const std::size_t room = columns - std::min(columns, plain.size() + spaces);
  const std::size_t length = std::min(room / 2, kLongestBar);
  if (length < kShortestBar) return plain.substr(0, columns);
  return "issued " + bar(progress.counts->issued, progress, length, coloured ? kIssuedColour : "") +
         issued + "  finished " +
         bar(progress.counts->finished, progress, length, coloured ? kFinishedColour : "") +
         finished;
}

}  // namespace

std::string progress_line(const Progress& progress) {
  std::string text;
  if (progress.counts) {
    append(text, "issued " + share(progress.counts->issued, progress));
    append(text, "finished " + share(progress.counts->finished, progress));
  }
  const std::string state = present_state(progress);
  if (!state.empty()) append(text, state);
  return text;
}

std::vector<std::string> progress_lines(const Progress& progress, std::size_t columns,
                                        bool coloured) {
  // A character in the last column would make some terminals wrap.
  const std::size_t usable = columns - std::min<std::size_t>(columns, 1);
  std::vector<std::string> lines;
  if (progress.counts) lines.push_back(bars_line(progress, usable, coloured));
  lines.push_back(present_state(progress).substr(0, usable));
  return lines;
}

}  // namespace runahead::experiment
