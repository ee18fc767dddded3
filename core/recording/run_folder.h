#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/memory/sample_series.h"
#include "core/record/record.h"

namespace runahead::recording {

/// The folder that a run writes: `samples.csv`, then `graph.dot` and `graph.svg` if the record has
/// them (results of `graph`), and last `record.json`. Each file appears atomically.
class RunFolder {
 public:
  /// Creates the folder and its parents unless they exist.
  /// @throws ConfigError if it already holds a record, which is never overwritten; Error if it
  /// cannot be created.
  explicit RunFolder(std::filesystem::path path);

  /// Removes the folder if this object created it and nothing was written.
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] std::filesystem::path record_path() const { return path_ / "record.json"; }

  [[nodiscard]] std::filesystem::path trace_path() const { return path_ / "trace.json"; }

  /// @param samples  If null, no samples.csv is written.
  /// @param origin   Time 0 of the samples.
  /// @throws Error if a file cannot be written.
  void write(const record::Record& record, const memory::SampleSeries* samples,
             std::optional<TimePoint> origin) const;

 private:
  std::filesystem::path path_;
  bool made_ = false;
};

}  // namespace runahead::recording
