#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/record/environment.h"
#include "core/record/figures.h"
#include "core/record/record.h"
#include "core/record/status.h"
#include "core/sweep/plan.h"

namespace runahead::sweep {

/// The figures that tables of a sweep show, in their order.
[[nodiscard]] const std::vector<record::Figure>& sweep_figures();

/// What a sweep keeps of one run.
struct RunFigures {
  record::Status status = record::Status::kOk;
  /// One value for each of sweep_figures(); nullopt: not measured. Empty: none was.
  std::vector<std::optional<double>> values{};
  std::optional<double> wall_seconds{};  ///< Of its process or, if unknown, of its clock.
  bool shared_cpus = false;              ///< If so, its times are not comparable with other runs'.
};

[[nodiscard]] RunFigures figures_of(const record::Record& record);

/// The runs of a plan that earlier sweeps left. If a run has several records, the last one counts.
struct EarlierRuns {
  std::vector<std::vector<std::optional<RunFigures>>> runs{};  ///< [cell][repeat]; nullopt: none.

  /// Runs whose only records do not count, because another version of the program made them:
  /// results of different versions do not mix.
  std::size_t of_other_versions = 0;
  std::string other_version{};  ///< The version of one of them: "0.1.0 (revision)".
};

/// Which records count: results of different versions do not mix, but both are results.
enum class Versions { kOwn, kAny };

using VisitRun = std::function<void(const CellJob&, const record::Record&)>;

/// Reads a `records.jsonl` and the files of shards that are not merged into it, with one record in
/// memory at a time. A missing file has no records. Runs that are not in the plan are left out.
/// Blocks for about 0.1 ms per record. @throws Error if a line is JSON but not a record.
/// @param visit  If set, called with each record that counts when it is read; a later record of
/// the same run may take its place.
/// @param versions  With kAny, none is of another version.
[[nodiscard]] EarlierRuns read_earlier_runs(const Plan& plan,
                                            const std::filesystem::path& records_path,
                                            const std::vector<std::filesystem::path>& shards = {},
                                            const VisitRun& visit = {},
                                            Versions versions = Versions::kOwn);

/// The program's version: "0.1.0 (revision)". Results of different versions do not mix.
[[nodiscard]] std::string version_of(const record::Environment& environment);

/// The version_of this program.
[[nodiscard]] std::string own_version();

}  // namespace runahead::sweep
