#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"

namespace runahead::report {

/// One record, and the locations of the record and its samples.
///
/// A record of another version may hold anything anywhere, so a value that is not of the requested
/// type counts as missing.
struct Run {
  Json record = Json::object();     ///< Without the times of each batch.
  std::filesystem::path path{};     ///< The file that holds it.
  std::size_t line = 0;             ///< Line in that file, from 1; 0 if it holds one record.
  std::filesystem::path samples{};  ///< The file may be missing.
  std::string source{};             ///< The name of its folder if several are compared.

  /// The finite number at a JSON pointer.
  [[nodiscard]] std::optional<double> number(std::string_view pointer) const;
  /// number(), but NaN for what was measured as not finite (record::measured_at).
  [[nodiscard]] std::optional<double> measured(std::string_view pointer) const;
  /// The string at a JSON pointer, or "".
  [[nodiscard]] std::string text(std::string_view pointer) const;
  /// The value at a JSON pointer, or null.
  [[nodiscard]] const Json& at(std::string_view pointer) const;
  /// The object at a JSON pointer, or an empty one.
  [[nodiscard]] const Json& object(std::string_view pointer) const;

  [[nodiscard]] std::string status() const;                   ///< "unknown" if the record has none.
  [[nodiscard]] bool is_single() const { return line == 0; }  ///< From `run`, not from a sweep.
  [[nodiscard]] bool is_ok() const { return status() == "ok"; }
  [[nodiscard]] const Json& axes() const { return object("/axes"); }
  /// Whether it shared its CPUs with other runs, which affects its times and its backlog.
  [[nodiscard]] bool shares_cpus() const { return at("/environment/cpus_shared") == true; }
};

/// The value at a JSON pointer of `document`; null if there is none, or the pointer is malformed.
[[nodiscard]] const Json& value_at(const Json& document, std::string_view pointer);

/// The text of a value, independent of the order of keys.
[[nodiscard]] std::string canonical(const Json& value);

[[nodiscard]] std::vector<const Run*> pointers_to(std::span<const Run> runs);

/// The keys of the objects at a JSON pointer in all runs, in the order of their first occurrence.
[[nodiscard]] std::vector<std::string> keys_of(const std::vector<const Run*>& runs,
                                               std::string_view pointer);

struct FoundRuns {
  std::vector<Run> runs{};
  std::vector<std::string> warnings{};  ///< Describe what could not be read.
};

/// Whether `folder` holds the records of a sweep or of a shard of one.
[[nodiscard]] bool is_sweep(const std::filesystem::path& folder);

/// Reads the records in the folder of a sweep or a run, including those of shards that are not
/// merged yet, in the order of the sweep's cells, repeat by repeat. If a cell and repeat has
/// several records, the last one counts. Lines that are not records are left out with a warning.
[[nodiscard]] FoundRuns read_runs(const std::filesystem::path& folder);

/// Where records come from: when they were made (UTC), on which host, by which command and version.
/// A fact that no record has is left out. If hosts, commands or versions differ, the text names the
/// first and the number of others. @return Objects {name, text}.
[[nodiscard]] Json origin_of(const std::vector<Run>& runs);

/// "0.1.0 (revision)"; "" if the record names no version, as for a run that never began.
[[nodiscard]] std::string version_of(const Run& run);

}  // namespace runahead::report
