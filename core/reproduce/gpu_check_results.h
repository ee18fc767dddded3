#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/reproduce/measured.h"

/// What `scripts/gpu_check` leaves in a folder, as runs that claims can rest on.
namespace runahead::reproduce {

/// Cells of one sweep of configs/cuda that differ only in their sync policy.
struct CudaChart {
  std::string sweep{};
  std::string pointer{};  ///< Of the axis that separates the sweep's charts; or empty.
  Json value{};           ///< Of that axis.
  std::vector<std::string> policies{};  ///< Empty for `launch_queue`, which has none.

  /// "staging: pinned".
  [[nodiscard]] std::string name() const;
  /// "staging: pinned, none": the run of a policy.
  [[nodiscard]] std::string run(const std::string& policy) const;
  /// All of them.
  [[nodiscard]] std::vector<std::string> runs() const;
};

/// Every chart of configs/cuda, except for `out_of_memory`, whose runs are not compared.
[[nodiscard]] const std::vector<CudaChart>& cuda_charts();

/// The sweeps of configs/cuda, sorted.
[[nodiscard]] const std::vector<std::string>& cuda_sweeps();

/// Reads the results in `folder`. Its runs are those of cuda_charts() and, with `results` alone:
/// - SWEEP, if it has records: {runs, asked, unexpected, states (in words), summaries,
///   without_summary}; the last two count runs without memory by whether the record says why
/// - "tests": {tests, failures, skipped}, if the tests ran
/// - "programs": {missing: names of the tutorials and benchmarks that did not end ok}
/// - "versions": {versions: those of runahead that wrote records}
///
/// The last record of a cell and repeat counts.
/// @param configs  The folder configs/cuda.
/// @throws ConfigError if `folder` is none; Error if its records cannot be read.
[[nodiscard]] Measured read_gpu_check(const std::filesystem::path& folder,
                                      const std::filesystem::path& configs);

}  // namespace runahead::reproduce
