#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "core/record/record.h"

namespace runahead::record {

/// Writes `record` to `path`, which then holds the whole record or does not exist. A record is
/// never overwritten. @throws Error if it cannot be written.
void write_record(const std::filesystem::path& path, const Record& record);

/// Appends `record` as one line, with one write and an fsync. A line that a crash left torn is
/// closed first. Not safe for concurrent writers. @throws Error if it cannot be written.
void append_jsonl(const std::filesystem::path& path, const Record& record);

/// @throws Error naming the file if it is missing, is not JSON or is not a record.
[[nodiscard]] Record read_record(const std::filesystem::path& path);

/// Calls `visit` with each record of a JSONL file, in file order. Only one record is in memory at a
/// time, so the file may have any length. A missing file has no records. Lines that a crash left
/// torn are skipped.
/// @throws Error naming file and line for a line that is JSON but not a record, or longer than 256
///         MiB, and what `visit` throws.
void for_each_record(const std::filesystem::path& path,
                     const std::function<void(const Record&)>& visit);

/// The records that for_each_record visits.
[[nodiscard]] std::vector<Record> read_records(const std::filesystem::path& path);

/// The record files of shards in a sweep's folder, sorted by name. `records.jsonl` may lack their
/// records.
[[nodiscard]] std::vector<std::filesystem::path> shard_files(const std::filesystem::path& folder);

/// Repairs the end of a JSONL file that a crash or a full disk left torn: truncates it after the
/// last newline, unless the rest is JSON, which lacks only a newline that the next append writes.
/// Must not run while another process writes. @return Bytes cut off; 0 if the file is missing.
/// @throws Error if the file cannot be read, in which case nothing is cut off, or not be truncated.
std::uint64_t cut_torn_line(const std::filesystem::path& path);

}  // namespace runahead::record
