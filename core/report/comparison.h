#pragma once

#include <string>
#include <vector>

#include "core/report/run.h"

namespace runahead::report {

/// The repeats of one run: one line of a chart.
struct Line {
  std::string label{};  ///< The name, preceded by the folder's.
  std::string name{};   ///< The same for the same policy in several folders: it sets the colour.
  std::string policy{};
  /// The run with the median total time (of an even number, the faster of the middle two) comes
  /// first: charts and tables show it. Findings are about the medians of all.
  std::vector<const Run*> runs{};

  [[nodiscard]] const Run& main() const { return *runs.front(); }
  /// "repeat 2": the one that is main().
  [[nodiscard]] std::string repeat_text() const;
  /// The label of main(): it names the repeat if there are several.
  [[nodiscard]] std::string main_label() const;
};

/// The runs of one chart, which differ only in their sync policy and their run-ahead limit.
struct Comparison {
  std::string title{};
  std::string subtitle{};
  std::string place{};  ///< "batch size 128": its values of other axes; "" if it is the only one.
  std::string slug{};   ///< Used in the names of its files and in its address on the page.
  std::vector<Line> lines{};
};

/// Groups runs into comparisons, in the order of the runs. Sweeps share charts, in which each has
/// its own lines. Single runs from several folders share one chart.
/// @param are_two_sweeps  Two sweeps are compared: their cells share a chart even if their configs
/// differ elsewhere than in the axes.
[[nodiscard]] std::vector<Comparison> compare(const std::vector<Run>& runs, bool are_two_sweeps);

/// Groups the runs of a folder that differ only in their repeat, keeping their order.
[[nodiscard]] std::vector<std::vector<const Run*>> repeats_of(const std::vector<Run>& runs);

}  // namespace runahead::report
