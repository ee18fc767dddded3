#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/base/result_folder.h"
#include "core/memory/sample_series.h"
#include "core/record/record.h"

namespace runahead::recording {

/// The folder that a run writes: `samples.csv`, then `graph.dot` and `graph.svg` if the record has
/// them (results of `graph`), and last `record.json`. Each file appears atomically and replaces
/// none. No other command writes to the folder during this object's lifetime (FolderClaim).
class RunFolder {
 public:
  /// Creates the folder and its parents unless they exist, or, if `path` is empty, a new one: see
  /// ResultFolder. The destructor removes the folder again if this object created it and nothing
  /// was written.
  /// @throws ConfigError if it is a file, another command is writing to it, or it holds results or
  /// a file that a run writes; Error if it cannot be created.
  explicit RunFolder(std::filesystem::path path, const std::string& name = "run");

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return folder_.path(); }
  [[nodiscard]] std::filesystem::path record_path() const { return path() / "record.json"; }

  [[nodiscard]] std::filesystem::path trace_path() const { return path() / "trace.json"; }

  /// @param samples  If null, no samples.csv is written.
  /// @param origin   Time 0 of the samples.
  /// @throws Error if a file cannot be written. The record is still written if it can be.
  void write(const record::Record& record, const memory::SampleSeries* samples,
             std::optional<TimePoint> origin) const;

 private:
  ResultFolder folder_;
};

}  // namespace runahead::recording
