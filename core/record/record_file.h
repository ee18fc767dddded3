#pragma once

#include <filesystem>
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

/// The records of a JSONL file, in its order; none if the file is missing. Lines that a crash left
/// torn are skipped. @throws Error naming file and line for a line that is JSON but not a record.
[[nodiscard]] std::vector<Record> read_records(const std::filesystem::path& path);

}  // namespace runahead::record
