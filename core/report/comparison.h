#pragma once

#include <string>
#include <vector>

#include "core/report/run.h"

namespace runahead::report {

/// The repeats of one run: one line of a chart.
struct Line {
  std::string label{};  ///< The name after the folder's.
  std::string name{};   ///< The same for the same policy in several folders: it sets the colour.
  std::string policy{};
  /// The run of the median total time comes first and stands for the others.
  std::vector<const Run*> runs{};

  [[nodiscard]] const Run& main() const { return *runs.front(); }
};

/// The runs of one chart: they differ only in their sync policy and their limit of run-ahead.
struct Comparison {
  std::string title{};
  std::string subtitle{};
  std::string slug{};  ///< Of its files and of its address on the page.
  std::vector<Line> lines{};
};

/// Sorts runs into comparisons, in their order. The runs of two sweeps that are compared share
/// charts, in which each sweep has its own lines; single runs from several folders share one chart.
[[nodiscard]] std::vector<Comparison> compare(const std::vector<Run>& runs);

/// Groups the runs that differ only in their repeat, in their order.
[[nodiscard]] std::vector<std::vector<const Run*>> repeats_of(const std::vector<Run>& runs);

}  // namespace runahead::report
