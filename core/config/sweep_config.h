#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/config/experiment_config.h"

namespace runahead::config {

/// One dimension of a sweep: a key of the experiment config, and the values it takes.
struct SweepAxis {
  std::string pointer{};       ///< JSON pointer into the experiment config, "/sync/policy".
  std::vector<Json> values{};  ///< At least one; any JSON. Generated ones are written out.
};

/// The order in which the runs of a sweep start. Both spread the repeats of a cell over the sweep,
/// so that slow drifts of the machine affect all cells alike.
enum class RunOrder {
  kInterleaved,  ///< Repeat 0 of every cell in order, then repeat 1, ….
  kRandom,       ///< The same, with the cells of each repeat shuffled.
};
constexpr auto enum_names(RunOrder) { return std::array{"interleaved", "random"}; }

/// A grid of experiments: every combination of the axes' values, each repeated.
struct SweepConfig {
  Json base = Json::object();                 ///< An experiment config as written, unresolved.
  std::vector<SweepAxis> axes{};              ///< In the order of the document.
  std::vector<std::vector<SweepAxis>> zip{};  ///< Groups of axes that take their values together.
  std::vector<Json> cells{};    ///< In addition to the grid: objects from pointer to value.
  std::vector<Json> exclude{};  ///< Such objects; leaves out grid cells that match one.
  std::int64_t repeats = 1;     ///< Runs of each cell, in [1, 10000].
  RunOrder order = RunOrder::kInterleaved;
  std::uint64_t order_seed = 0;                       ///< For RunOrder::kRandom.
  std::optional<double> timeout_seconds{};            ///< Wall time limit per cell; nullopt: none.
  std::optional<std::uint64_t> memory_limit_bytes{};  ///< Memory limit per cell; nullopt: none.
  int jobs = 1;                                       ///< Cells at once, in [1, 1024].
};

/// Most cells (combinations times repeats, including excluded ones) that a sweep may have.
inline constexpr std::uint64_t kMaxSweepCells = 100'000;

/// Reads, checks and resolves a sweep config; `base` may name a file, relative to the sweep's own.
/// Errors in a combination of axis values are found not here but by resolve_cell.
/// @throws ConfigError naming the file, the JSON pointer, what was found and what is allowed.
[[nodiscard]] SweepConfig load_sweep(const std::filesystem::path& path);

/// As load_sweep, for a document that was read before. `source` is the name used in errors; a
/// `base` that names a file is relative to `folder`.
[[nodiscard]] SweepConfig read_sweep(const Json& document, const std::string& source,
                                     const std::filesystem::path& folder);

/// Changes a value of a sweep's document as `--set` does for an experiment: "/repeats=3",
/// "/base/sync/policy=window". A base that names a file, relative to `folder`, is read first.
/// @throws ConfigError naming the assignment.
void apply_set_to_sweep(Json& document, const std::string& assignment,
                        const std::filesystem::path& folder);

/// The sweep with every default and generated value written out, and a base from a file inlined.
[[nodiscard]] Json to_json(const SweepConfig& sweep);

/// The name of a cell in errors: the source, and the axes' values if there are any.
[[nodiscard]] std::string cell_name(const std::string& source, const Json& axes_values);

/// `base` with each pointer of `axes_values` set to its value, /sync/policy always first; not read
/// yet. @throws ConfigError if a pointer goes through a value that has no keys.
[[nodiscard]] Json cell_document(const Json& base, const Json& axes_values);

/// The experiment config of one cell: its cell_document, read strictly. `source` is named in
/// errors.
/// @throws ConfigError naming the axes' values in addition to what read_experiment names.
[[nodiscard]] ExperimentConfig resolve_cell(const Json& base, const Json& axes_values,
                                            const std::string& source);

/// The number of combinations in a sweep, including excluded ones: those of the values of its axes
/// and zips (1 if it has neither, nor `cells`), and its `cells`. Repeats are not counted. A grid of
/// more than kMaxSweepCells counts as kMaxSweepCells + 1, which read_sweep refuses.
[[nodiscard]] std::size_t combination_count(const SweepConfig& sweep);

/// The values of one combination, as a JSON object from pointer to value. The grid's combinations
/// come first, axes before zips and the last varying fastest; then the `cells` as written.
/// @throws UsageError if `index` >= combination_count(sweep).
[[nodiscard]] Json axes_values(const SweepConfig& sweep, std::size_t index);

/// Whether `exclude` leaves this combination out; never true for one of `cells`.
/// @throws UsageError if `index` >= combination_count(sweep).
[[nodiscard]] bool is_excluded(const SweepConfig& sweep, std::size_t index);

}  // namespace runahead::config
