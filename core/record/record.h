#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/config/experiment_config.h"
#include "core/record/cell_figures.h"
#include "core/record/environment.h"
#include "core/record/status.h"

/// What a run leaves: every figure it measured, its config and its environment. The JSON keys are
/// the field names; the comments here say what each means. nullopt is `null`: not measured.
namespace runahead::record {

/// Keys are added, never renamed, while this stays.
inline constexpr std::int64_t kSchemaVersion = 1;

/// The clock starts after warm-up and a full wait.
struct TimeFigures {
  std::optional<double> issue_seconds{};  ///< Until the last batch was issued, its waits included.
  std::optional<double> total_seconds{};  ///< Until the device was idle.
  std::optional<double> examples_per_second{};
  std::optional<double> cpu_seconds{};  ///< Of the whole process.
  std::optional<double> t1_seconds{};   ///< Front-end time a batch, without its waits.
  std::optional<double> t2_seconds{};   ///< Back-end time a batch.
  std::optional<double> t3_seconds{};   ///< To return the result of a batch.
  std::optional<double> predicted_total_seconds{};
  std::optional<std::vector<double>> batch_finished_seconds{};  ///< When each batch had finished.
};

/// Peaks of counters are counted at every change; RSS is sampled.
struct MemoryFigures {
  std::optional<std::uint64_t> rss_baseline_bytes{};  ///< When the clock started, the heap trimmed.
  std::optional<std::uint64_t> rss_peak_bytes{};
  std::optional<std::uint64_t> rss_growth_bytes{};  ///< Peak over baseline.
  std::optional<std::uint64_t> rss_end_bytes{};     ///< When the device was idle again.
  std::optional<std::uint64_t> live_peak_bytes{};
  std::optional<std::uint64_t> reserved_peak_bytes{};
  std::optional<std::uint64_t> promised_peak_bytes{};
  std::optional<std::uint64_t> held_peak_bytes{};
  std::optional<std::uint64_t> committed_peak_bytes{};
  /// What RSS was made of at its peak, a key a part, bytes (memory/attribution.h); null where the
  /// device does not count.
  Json attribution = nullptr;
  Json cuda = nullptr;  ///< Counters of the CUDA device; null on the others.
};

struct BacklogFigures {
  std::optional<std::uint64_t> operations_peak{};
  std::optional<std::uint64_t> batches_peak{};  ///< Issued, last operation not finished.
  /// Held, live and promised, beyond parameters; on cuda what batches in flight keep.
  std::optional<std::uint64_t> bytes_peak{};
  std::optional<std::uint64_t> predicted_bytes_peak{};
  std::optional<std::map<std::string, std::uint64_t>> blocking_operators{};  ///< Name to count.
};

struct LossFigures {
  std::optional<double> first{};
  std::optional<double> last{};
};

/// Of the memory monitor itself.
struct MonitorFigures {
  std::optional<std::uint64_t> samples{};
  std::optional<std::uint64_t> missed{};
  std::optional<double> jitter_p99_seconds{};
  std::optional<double> cpu_seconds{};            ///< Of the sampling thread.
  std::optional<double> slow_lane_cpu_seconds{};  ///< Of the thread that reads what is costly.
};

struct Record {
  std::string id{};  ///< config::config_id of the resolved config.
  std::int64_t repeat = 0;
  Status status = Status::kOk;
  std::optional<std::string> error{};  ///< What went wrong, with the operator's name if one failed.
  std::string experiment{};
  std::string device{};
  Json config = Json::object();  ///< Resolved.
  Json axes = Json::object();    ///< Of a sweep's cell: JSON pointer to value.
  std::string ended_at{};        ///< When the record was made: "2026-01-31T23:59:59Z".
  std::string command{};         ///< The command line (command_line.h); "" if it is not known.
  Environment environment{};
  TimeFigures time{};
  MemoryFigures memory{};
  BacklogFigures backlog{};
  LossFigures loss{};
  MonitorFigures monitor{};
  CellFigures cell{};
  Json results = Json::object();  ///< What the experiment kind measures beyond these.
};

/// A record with id, experiment, device and config filled in; every figure is not measured yet.
[[nodiscard]] Record make_record(const config::ExperimentConfig& config, std::int64_t repeat,
                                 const Json& axes);

/// The record of a cell that could not write its own: crashed, killed, never started. Its
/// environment is this process's.
[[nodiscard]] Record make_unrun_record(const config::ExperimentConfig& config, std::int64_t repeat,
                                       const Json& axes, Status status, const std::string& error);

[[nodiscard]] Json to_json(const Record& record);

/// The sections of figures in to_json, without the list of batches: what figures are read from.
[[nodiscard]] Json sections_json(const Record& record);

/// Reads a record back. Keys it does not know are ignored, so that newer records of the same
/// schema_version can be read; a key that is missing is not measured.
/// @throws Error naming `source` if it is not a record or its schema_version is another one.
[[nodiscard]] Record from_json(const Json& document, const std::string& source);

}  // namespace runahead::record
