#include "core/experiment/progress.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <ostream>
#include <string_view>
#include <utility>

#include "core/base/bytes.h"
#include "core/base/number_text.h"
#include "core/base/periodic.h"
#include "core/base/terminal.h"

namespace runahead::experiment {

using record::CellProgress;

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

std::string share(std::uint64_t count, const CellProgress& progress) {
  return std::to_string(count) + "/" + std::to_string(progress.batches.value_or(0));
}

bool counts_batches(const CellProgress& progress) {
  return progress.batches_issued && progress.batches_finished;
}

/// Batches and operations in flight, and memory.
std::string present_state(const CellProgress& progress) {
  std::string text;
  if (counts_batches(progress)) {
    append(text,
           counted(*progress.batches_issued - *progress.batches_finished, "batch", "batches"));
  }
  if (progress.operations_in_flight) {
    const std::string operations = counted(*progress.operations_in_flight, "operation");
    text += counts_batches(progress) ? " (" + operations + ")" : operations;
  }
  if (!text.empty()) text += " in flight";
  if (progress.rss_bytes) append(text, "RSS " + format_bytes(*progress.rss_bytes));
  if (progress.live_bytes) append(text, "live " + format_bytes(*progress.live_bytes));
  return text;
}

/// A bar of `length` characters, filled in proportion to `count` of all batches.
std::string bar(std::uint64_t count, const CellProgress& progress, std::size_t length,
                std::string_view colour) {
  const std::uint64_t whole = std::max<std::uint64_t>(progress.batches.value_or(0), 1);
  const std::size_t full = std::min<std::size_t>(count, whole) * length / whole;
  std::string text(colour);
  for (std::size_t i = 0; i < length; ++i) text += i < full ? "█" : "░";
  if (!colour.empty()) text += kReset;
  return text + " ";
}

/// @param columns  Columns that the line may use.
std::string bars_line(const CellProgress& progress, std::size_t columns, bool coloured) {
  const std::string issued = share(*progress.batches_issued, progress);
  const std::string finished = share(*progress.batches_finished, progress);
  const std::string plain = "issued " + issued + "  finished " + finished;
  const std::size_t spaces = 2;  // One after each bar.
  const std::size_t room = columns - std::min(columns, plain.size() + spaces);
  const std::size_t length = std::min(room / 2, kLongestBar);
  if (length < kShortestBar) return plain.substr(0, columns);
  return "issued " +
         bar(*progress.batches_issued, progress, length, coloured ? kIssuedColour : "") + issued +
         "  finished " +
         bar(*progress.batches_finished, progress, length, coloured ? kFinishedColour : "") +
         finished;
}

constexpr std::chrono::milliseconds kTerminalPeriod{100};
constexpr std::chrono::milliseconds kLogPeriod{1000};

}  // namespace

std::string progress_line(const CellProgress& progress) {
  std::string text;
  if (counts_batches(progress)) {
    append(text, "issued " + share(*progress.batches_issued, progress));
    append(text, "finished " + share(*progress.batches_finished, progress));
  }
  const std::string state = present_state(progress);
  if (!state.empty()) append(text, state);
  return text;
}

std::vector<std::string> progress_lines(const CellProgress& progress, std::size_t columns,
                                        bool coloured) {
  // A character in the last column would make some terminals wrap.
  const std::size_t usable = columns - std::min<std::size_t>(columns, 1);
  std::vector<std::string> lines;
  if (counts_batches(progress)) lines.push_back(bars_line(progress, usable, coloured));
  lines.push_back(present_state(progress).substr(0, usable));
  return lines;
}

std::jthread start_progress_view(ProgressOutput output,
                                 std::function<record::CellProgress()> progress) {
  const auto columns = [output] { return output.columns ? output.columns() : std::nullopt; };
  if (!columns()) {
    return every(kLogPeriod, [output, progress = std::move(progress)] {
      *output.out << progress_line(progress()) + "\n" << std::flush;
    });
  }
  const auto lines = std::make_shared<LinesInPlace>(*output.out);
  return every(kTerminalPeriod, [output, progress = std::move(progress), columns, lines] {
    lines->show(progress_lines(progress(), columns().value_or(1), output.coloured));
  });
}

}  // namespace runahead::experiment
