#pragma once

#include <string>
#include <vector>

#include "core/report/run.h"

namespace runahead::report {

/// The repeats of one run: one line of a chart.
struct Line {
  std::string label{};
  std::string policy{};
  /// The run of the median total time comes first and stands for the others.
  std::vector<const Run*> runs{};

  [[nodiscard]] const Run& main() const { return *runs.front(); }
};

/// The runs of one chart: they differ in their sync policy, and in the limit of run-ahead, alone.
struct Comparison {
  std::string title{};
  std::string subtitle{};
  std::string slug{};  ///< Of its files and of its address on the page.
  std::vector<Line> lines{};
};

/// Sorts runs into comparisons, in the order in which they come. Where two sweeps are compared
/// their runs share charts, and each sweep has lines of its own.
[[nodiscard]] std::vector<Comparison> compare(const std::vector<Run>& runs);

/// The runs that differ in their repeat alone, in the order in which they come.
[[nodiscard]] std::vector<std::vector<const Run*>> repeats_of(const std::vector<Run>& runs);

}  // namespace runahead::report
