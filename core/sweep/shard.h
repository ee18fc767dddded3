#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/record/record.h"
#include "core/sweep/plan.h"

namespace runahead::sweep {

/// One of `count` parts of a sweep. Shards share only the folder: each has a record file of its
/// own, so they can run on any machines at any time without a lock.
struct Shard {
  std::int64_t index = 0;  ///< In [0, count).
  std::int64_t count = 1;
};

/// The variable that is set for shards whose sweep waits for them, with the folder locked: the
/// tasks of a Slurm array.
inline constexpr const char* kAwaitedShard = "RUNAHEAD_AWAITED_SHARD";

/// Most shards of a sweep.
inline constexpr std::int64_t kMaxShards = config::kMaxSweepCells;

/// Reads "I/N". @throws ConfigError unless N is in [1, kMaxShards] and I in [0, N).
[[nodiscard]] Shard parse_shard(const std::string& text);

/// The shard of each run of the plan. Depends only on the cells, the repeats and `count`, so every
/// process computes the same. Shard sizes differ by at most one run, and an axis whose length
/// divides `count` is still spread over the shards.
[[nodiscard]] std::map<CellJob, std::int64_t> divide(const Plan& plan, std::int64_t count);

/// The plan with only the runs of `shard`, in the plan's order. The first shard also has the cells
/// that cannot run.
[[nodiscard]] Plan plan_of_shard(Plan plan, const Shard& shard);

/// `FOLDER/shards/3-of-8.jsonl`.
[[nodiscard]] std::filesystem::path shard_records(const std::filesystem::path& folder,
                                                  const Shard& shard);

/// Calls `visit` with the records of `records`, then with those of `shards` that are not among
/// them. Any file may be missing. A file that is being written is read as far as it is complete.
/// @throws Error as record::for_each_record.
void for_each_record_of(
    const std::filesystem::path& records, const std::vector<std::filesystem::path>& shards,
    const std::function<void(const record::Record&, bool is_from_shard)>& visit);

/// Appends the records of record::shard_files to `FOLDER/records.jsonl`, except those already
/// there. Leaves the shards' files unchanged; merging again adds only what is new.
/// @throws Error if a file cannot be read or written.
void merge_shards(const std::filesystem::path& folder);

}  // namespace runahead::sweep
