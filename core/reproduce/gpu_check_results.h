#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/reproduce/measured.h"

/// Reads the results that `scripts/gpu_check` writes to a folder, as runs that claims can rest on.
namespace runahead::reproduce {

/// Cells of one sweep of configs/cuda that differ only in their sync policy.
struct CudaChart {
  std::string sweep{};
  std::string pointer{};                ///< Axis that separates the sweep's charts; may be empty.
  Json value{};                         ///< Value on that axis.
  std::vector<std::string> policies{};  ///< Empty for `launch_queue`, which has no policies.

  /// "staging: pinned".
  [[nodiscard]] std::string name() const;
  /// The name of a policy's run: "staging: pinned, none".
  [[nodiscard]] std::string run(const std::string& policy) const;
  /// The names of all runs of the chart.
  [[nodiscard]] std::vector<std::string> runs() const;
};

/// Every chart of configs/cuda except `out_of_memory`, whose runs are not compared.
[[nodiscard]] const std::vector<CudaChart>& cuda_charts();

/// The sweeps of configs/cuda, sorted.
[[nodiscard]] const std::vector<std::string>& cuda_sweeps();

/// Reads the results in `folder`. The runs are those of cuda_charts() and these, which have only
/// `results`:
/// - SWEEP, if it has records: {runs, asked, unexpected, states (in words), summaries,
///   without_summary}; the last two count runs that ran out of memory, by whether the record has
///   the allocator's summary
/// - "tests": {tests, failures, skipped}, if the tests ran
/// - "programs": {missing: names of the tutorials and benchmarks that did not end ok}, if any ran
/// - "versions": {versions: the versions of runahead that wrote records}, if there are records
///
/// The last record of a cell and repeat counts.
/// @param configs  The folder configs/cuda.
/// @throws ConfigError if `folder` is not a folder or holds no results; Error if its records cannot
/// be read.
[[nodiscard]] Measured read_gpu_check(const std::filesystem::path& folder,
                                      const std::filesystem::path& configs);

}  // namespace runahead::reproduce
