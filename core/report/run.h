#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"

namespace runahead::report {

/// One record, and where it and its samples are.
///
/// A record of another version may hold anything anywhere: a value of another type than the one
/// asked for counts as missing.
struct Run {
  Json record = Json::object();     ///< Without the times of the batches.
  std::filesystem::path path{};     ///< The file that holds it.
  std::size_t line = 0;             ///< In that file, from 1; 0 for a file of one record.
  std::filesystem::path samples{};  ///< May be missing.
  std::string source{};             ///< The name of its folder if several are compared.

  /// The finite number at a JSON pointer.
  [[nodiscard]] std::optional<double> number(std::string_view pointer) const;
  /// The string at a JSON pointer, or "".
  [[nodiscard]] std::string text(std::string_view pointer) const;
  /// The value at a JSON pointer, or null.
  [[nodiscard]] const Json& at(std::string_view pointer) const;
  /// The object at a JSON pointer, or an empty one.
  [[nodiscard]] const Json& object(std::string_view pointer) const;

  [[nodiscard]] std::string status() const;                   ///< "unknown" if the record has none.
  [[nodiscard]] bool is_single() const { return line == 0; }  ///< Of `run`, not of a sweep.
  [[nodiscard]] bool is_ok() const { return status() == "ok"; }
  [[nodiscard]] const Json& axes() const { return object("/axes"); }
};

/// The value at a JSON pointer of `document`, or null.
[[nodiscard]] const Json& value_at(const Json& document, std::string_view pointer);

/// The text of a value, equal for equal values whatever the order of their keys.
[[nodiscard]] std::string canonical(const Json& value);

[[nodiscard]] std::vector<const Run*> pointers_to(std::span<const Run> runs);

/// The keys of the objects at a JSON pointer of runs, in the order of their first occurrence.
[[nodiscard]] std::vector<std::string> keys_of(const std::vector<const Run*>& runs,
                                               std::string_view pointer);

struct FoundRuns {
  std::vector<Run> runs{};
  std::vector<std::string> warnings{};  ///< What could not be read, in words.
};

/// Whether `folder` holds the records of a sweep, or of a shard of one.
[[nodiscard]] bool is_sweep(const std::filesystem::path& folder);

/// Reads the records of a sweep's or a run's folder, including those of shards that are not merged
/// yet. Of several records of one cell and repeat the last one counts. Lines that are not records
/// are left out with a warning.
[[nodiscard]] FoundRuns read_runs(const std::filesystem::path& folder);

}  // namespace runahead::report
