#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/report/run.h"
#include "core/report/two_sweeps.h"

namespace runahead::report {

/// Everything that a report shows about the given folders. Python only draws it.
class Summary {
 public:
  /// Reads the records of runs and sweeps; of a folder only those of the version of the program
  /// that wrote last. Two single runs, or two sweeps with cells in common, are compared. Others are
  /// shown together, named after their folders.
  /// @param warnings  What the report must also warn of.
  explicit Summary(const std::vector<std::filesystem::path>& folders,
                   std::vector<std::string> warnings = {});
  Summary(const Summary&) = delete;
  Summary& operator=(const Summary&) = delete;

  /// The given folders that have no records. If there are any, nothing is reported of the others.
  [[nodiscard]] const std::vector<std::string>& empty_folders() const { return empty_folders_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

  /// The table of medians, or of ratios if two sweeps are compared.
  [[nodiscard]] std::string to_markdown() const;
  [[nodiscard]] std::string to_csv() const;
  /// `summary.json`, from which the page and the charts are drawn.
  [[nodiscard]] Json to_json() const;

 private:
  void compare_two(const std::vector<std::filesystem::path>& folders,
                   const std::vector<std::vector<Run>>& sides);

  std::vector<Run> runs_{};  ///< two_sweeps_ points into this.
  std::vector<std::string> empty_folders_{};
  std::vector<std::string> warnings_{};
  std::optional<TwoSweeps> two_sweeps_{};
};

}  // namespace runahead::report
