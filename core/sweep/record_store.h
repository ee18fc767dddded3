#pragma once

#include <filesystem>
#include <optional>

#include "core/base/result_folder.h"
#include "core/config/sweep_config.h"
#include "core/record/record.h"
#include "core/sweep/folder_lock.h"
#include "core/sweep/run_figures.h"
#include "core/sweep/shard.h"

namespace runahead::sweep {

/// Bounds of a `sweep.json`. With generated values written out, a sweep takes more room than the
/// user's file, and a base that was a file of its own is one level deeper.
inline constexpr JsonBounds kSweepBounds{.bytes = std::size_t{256} << 20,
                                         .depth = JsonBounds{}.depth + 1};

/// How a sweep treats the records that its folder already holds.
enum class EarlierRecords {
  kResume,    ///< They are this sweep's.
  kExtend,    ///< They are those of a sweep with the same base but other axes or repeats.
  kSetAside,  ///< They do not count: they are moved, with all else of that sweep, to `earlier-1`,
              ///< `earlier-2`, ….
};

/// Whether a sweep, or a shard of one, has left a record in a folder.
[[nodiscard]] bool has_records(const std::filesystem::path& folder);

/// The folder of a sweep: `sweep.json`, the append-only `records.jsonl`, `cells/`, and `shards/`
/// with the record files of shards. A run that was repeated has several records; the last one
/// counts. A store of the whole sweep locks the folder during its lifetime, against other sweeps on
/// any machine and other commands on this one. A store of a shard locks only the shard, and appends
/// to the shard's own file; the whole sweep must not run at the same time, unless it waits for the
/// shard (kAwaitedShard).
class RecordStore {
 public:
  /// Makes the folder, or opens what an earlier sweep left there (or sets it aside). Cuts off a
  /// line that a crash left incomplete. Order, limits and jobs may differ from those of the earlier
  /// sweep; `sweep.json` then becomes this one's.
  /// @param shard  nullopt: the whole sweep. A shard never sets records aside.
  /// @throws ConfigError if the folder holds the records of another sweep or the results of another
  ///         command, or another sweep or command is writing to it; Error if it cannot be written.
  RecordStore(const std::filesystem::path& folder, const config::SweepConfig& sweep,
              EarlierRecords earlier = EarlierRecords::kResume,
              const std::optional<Shard>& shard = std::nullopt);

  [[nodiscard]] std::filesystem::path cells_folder() const { return folder_ / "cells"; }
  /// The file that `append` writes to.
  [[nodiscard]] const std::filesystem::path& records_path() const { return records_path_; }

  /// The runs of a plan that earlier sweeps left. A store of the whole sweep first merges the
  /// shards' records into its own file. @throws Error as read_earlier_runs and merge_shards.
  [[nodiscard]] EarlierRuns read_earlier(const Plan& plan, const VisitRun& visit = {}) const;

  /// Adds a record; it is on disk when this returns. @throws Error if it cannot be written, or the
  /// folder was moved; any part written is then cut off, at the latest when the store is next
  /// opened.
  void append(const record::Record& record);

 private:
  void open_shard(const Json& document, EarlierRecords earlier, const Shard& shard);
  void require_same_sweep(const Json& document, EarlierRecords earlier) const;

  std::filesystem::path folder_;
  std::filesystem::path records_path_;
  std::optional<FolderLock> lock_{};        ///< nullopt: a shard's store.
  std::optional<FolderLock> shard_lock_{};  ///< nullopt: the store of a whole sweep.
  std::optional<FolderClaim> claim_{};
};

}  // namespace runahead::sweep
