#pragma once

#include <filesystem>

#include "core/config/sweep_config.h"
#include "core/record/record.h"
#include "core/sweep/folder_lock.h"

namespace runahead::sweep {

/// What a sweep makes of the records that its folder already holds.
enum class EarlierRecords {
  kResume,    ///< They are this sweep's.
  kExtend,    ///< They are of a sweep with the same base and other axes or repeats.
  kSetAside,  ///< They are not to count: they are moved, with all of that sweep, to `earlier-1`,
              ///< `earlier-2`, ….
};

/// The folder of a sweep: `sweep.json`, the append-only `records.jsonl`, `cells/`. One at a time:
/// it is locked while this lives. A run that was repeated has several records; the last one counts.
class RecordStore {
 public:
  /// Makes the folder, or opens what an earlier sweep left there (or sets it aside); a line that a
  /// crash left torn is cut off. Order, limits and jobs may differ from the earlier sweep's:
  /// `sweep.json` then is this one's.
  /// @throws ConfigError if the folder holds the records of another sweep or another sweep is
  ///         running in it; Error if it cannot be written.
  RecordStore(const std::filesystem::path& folder, const config::SweepConfig& sweep,
              EarlierRecords earlier = EarlierRecords::kResume);

  [[nodiscard]] std::filesystem::path cells_folder() const { return folder_ / "cells"; }
  [[nodiscard]] const std::filesystem::path& records_path() const { return records_path_; }

  /// Adds a record; it is on the disk when this returns. @throws Error if it cannot be written:
  /// then nothing of it stays, or what does is cut off when the store is opened next.
  void append(const record::Record& record);

 private:
  void require_same_sweep(const Json& document, EarlierRecords earlier) const;
  [[nodiscard]] bool has_records() const;

  std::filesystem::path folder_;
  std::filesystem::path records_path_;
  FolderLock lock_;
};

}  // namespace runahead::sweep
