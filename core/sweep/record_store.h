#pragma once

#include <filesystem>
#include <vector>

#include "core/config/sweep_config.h"
#include "core/record/record.h"

namespace runahead::sweep {

/// The folder of a sweep: `sweep.json`, the append-only `records.jsonl`, `cells/`. One at a time:
/// it is locked while this lives. A run that was repeated has several records; the last one counts.
class RecordStore {
 public:
  /// Makes the folder, or opens what an earlier sweep left there; a line that a crash left torn is
  /// repaired. Axes, repeats and limits may differ from the earlier sweep's: `sweep.json` then is
  /// this one's.
  /// @throws ConfigError if the folder holds the records of a sweep with another base or another
  ///         sweep is running in it; Error if it cannot be written.
  RecordStore(const std::filesystem::path& folder, const config::SweepConfig& sweep);

  [[nodiscard]] std::filesystem::path cells_folder() const { return folder_ / "cells"; }

  /// The records that are already there, oldest first. @throws Error if one cannot be read.
  [[nodiscard]] std::vector<record::Record> read() const;

  /// Adds a record; it is on the disk when this returns. @throws Error if it cannot be written.
  void append(const record::Record& record);

 private:
  /// Held on a folder while it lives; the kernel drops it when the process ends.
  class FolderLock {
   public:
    explicit FolderLock(const std::filesystem::path& folder);
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

   private:
    int descriptor_ = -1;
  };

  void write_sweep(const config::SweepConfig& sweep) const;

  std::filesystem::path folder_;
  std::filesystem::path records_path_;
  FolderLock lock_;
};

}  // namespace runahead::sweep
