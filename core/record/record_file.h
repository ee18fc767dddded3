#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "core/record/record.h"

namespace runahead::record {

/// Writes `record` to `path`, which afterwards holds all of it or what it held before (a temporary
/// file, fsync, rename). @throws Error if it cannot be written.
void write_record(const std::filesystem::path& path, const Record& record);

/// Appends `record` as one line, in one write and an fsync; a line that a crash left torn is closed
/// first. Not for several writers at once. @throws Error if it cannot be written.
void append_jsonl(const std::filesystem::path& path, const Record& record);

/// @throws Error naming the file if it is missing, is not JSON or is not a record.
[[nodiscard]] Record read_record(const std::filesystem::path& path);

/// Calls `visit` with each record of a JSONL file, in its order; one is in memory at a time, and
/// the file may be of any length. None if it is missing. Lines that a crash left torn are skipped.
/// @throws Error naming file and line for a line that is JSON but not a record, or longer than 256
///         MiB, and what `visit` throws.
void for_each_record(const std::filesystem::path& path,
                     const std::function<void(const Record&)>& visit);

/// The records that for_each_record visits.
[[nodiscard]] std::vector<Record> read_records(const std::filesystem::path& path);

/// The record files that shards left in a sweep's folder and that its `records.jsonl` may lack, by
/// name.
[[nodiscard]] std::vector<std::filesystem::path> shard_files(const std::filesystem::path& folder);

/// Mends the end of a JSONL file that a crash or a full disk left torn: what follows the last
/// newline is cut off unless it is JSON, which lacks only its newline and gets it with the next
/// append. Not while someone writes. @return Bytes cut off; 0 too if there is no such file.
/// @throws Error if it cannot be read, and then nothing is cut off, or cannot be mended.
std::uint64_t cut_torn_line(const std::filesystem::path& path);

}  // namespace runahead::record
