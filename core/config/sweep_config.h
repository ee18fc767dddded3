#pragma once

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

/// In which order the runs of a sweep start. The repeats of a cell are spread over the sweep in
/// both, so that slow drifts of the machine meet all cells alike.
enum class RunOrder {
  kInterleaved,  ///< Repeat 0 of every cell in their order, then repeat 1, ….
  kRandom,       ///< The same, with the cells of each repeat shuffled.
};

/// A grid of experiments: every combination of the axes' values, each repeated.
struct SweepConfig {
  Json base = Json::object();                 ///< An experiment config as written, unresolved.
  std::vector<SweepAxis> axes{};              ///< In the order of the document.
  std::vector<std::vector<SweepAxis>> zip{};  ///< Groups of axes that take their values together.
  std::vector<Json> cells{};    ///< In addition to the grid: objects from pointer to value.
  std::vector<Json> exclude{};  ///< Likewise; a cell of the grid that agrees with one is left out.
  std::int64_t repeats = 1;     ///< Runs of each cell, in [1, 10000].
  RunOrder order = RunOrder::kInterleaved;
  std::uint64_t order_seed = 0;                       ///< Of RunOrder::kRandom.
  std::optional<double> timeout_seconds{};            ///< Wall time a cell may take; nullopt: none.
  std::optional<std::uint64_t> memory_limit_bytes{};  ///< Memory a cell may take; nullopt: none.
  int jobs = 1;                                       ///< Cells at once, in [1, 1024].
  std::string text{};  ///< What it was read from, for errors; "" if that is not known.
};

/// Most cells (combinations times repeats, what `exclude` names included) that a sweep may have.
inline constexpr std::uint64_t kMaxSweepCells = 100'000;

/// Reads, checks and resolves a sweep config; `base` may name a file, relative to the sweep's own.
/// What is wrong with a combination of the axes is not found here, but by resolve_cell.
/// @throws ConfigError naming the file, the JSON pointer, what was found and what is allowed.
[[nodiscard]] SweepConfig load_sweep(const std::filesystem::path& path);

/// As load_sweep, for a document that was read before. `source` is the name used in errors; a
/// `base` that names a file is relative to `folder`. `text`, if it is known, is what the document
/// was read from (JsonProblems).
[[nodiscard]] SweepConfig read_sweep(const Json& document, const std::string& source,
                                     const std::filesystem::path& folder,
                                     const std::string& text = {});

/// Changes a value of a sweep's document as `--set` does of an experiment's: "/repeats=3",
/// "/base/sync/policy=window". A base that names a file, relative to `folder`, is read first.
/// @throws ConfigError naming the assignment.
void apply_set_to_sweep(Json& document, const std::string& assignment,
                        const std::filesystem::path& folder);

/// The sweep with every default and every generated value written out and a base that came from a
/// file inlined.
[[nodiscard]] Json to_json(const SweepConfig& sweep);

/// How errors name a cell: the source, and the axes' values if there are any.
[[nodiscard]] std::string cell_name(const std::string& source, const Json& axes_values);

/// `base` with each pointer of `axes_values` set to its value, whatever their order (/sync/policy
/// first); not read yet. @throws ConfigError if a pointer goes through a value that has no keys.
[[nodiscard]] Json cell_document(const Json& base, const Json& axes_values);

/// The experiment config of one cell: its cell_document, read strictly. `source` is named in
/// errors, `text` is the sweep's (SweepConfig::text).
/// @throws ConfigError naming the axes' values, besides what read_experiment names.
[[nodiscard]] ExperimentConfig resolve_cell(const Json& base, const Json& axes_values,
                                            const std::string& source,
                                            const std::string& text = {});

}  // namespace runahead::config
