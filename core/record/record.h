#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/config/experiment_config.h"
#include "core/record/environment.h"
#include "core/record/status.h"

/// The result of a run: every figure it measured, its config and its environment. The JSON keys are
/// the field names, and the comments here say what each means. nullopt is `null`: not measured.
namespace runahead::record {

/// While this version stays the same, keys are only added, never renamed.
inline constexpr std::int64_t kSchemaVersion = 1;

/// The clock starts after warm-up and a full wait.
struct TimeFigures {
  std::optional<double> issue_seconds{};  ///< Until the last batch was issued, including its waits.
  std::optional<double> total_seconds{};  ///< Until the device was idle.
  std::optional<double> examples_per_second{};
  std::optional<double> cpu_seconds{};  ///< Of the whole process.
  std::optional<double> t1_seconds{};   ///< Front-end time per batch, without its waits.
  std::optional<double> t2_seconds{};   ///< Back-end time per batch.
  std::optional<double> t3_seconds{};   ///< Time to return the result of a batch.
  std::optional<double> predicted_total_seconds{};
  std::optional<std::vector<double>> batch_finished_seconds{};  ///< The first 100,000.
};

/// Peaks of counters are counted at every change; RSS is sampled.
struct MemoryFigures {
  std::optional<std::uint64_t> rss_baseline_bytes{};  ///< At the clock's start, with trimmed heap.
  std::optional<std::uint64_t> rss_peak_bytes{};
  std::optional<std::uint64_t> rss_growth_bytes{};  ///< Peak minus baseline.
  std::optional<std::uint64_t> rss_end_bytes{};     ///< When the device was idle again.
  std::optional<std::uint64_t> live_peak_bytes{};
  std::optional<std::uint64_t> reserved_peak_bytes{};
  std::optional<std::uint64_t> promised_peak_bytes{};
  std::optional<std::uint64_t> held_peak_bytes{};
  std::optional<std::uint64_t> committed_peak_bytes{};
  /// The parts of RSS at its peak, one key per part, in bytes (memory/attribution.h); null if the
  /// device does not count them.
  Json attribution = nullptr;
  Json cuda = nullptr;  ///< Counters of the CUDA device; null on other devices.
};

struct BacklogFigures {
  std::optional<std::uint64_t> operations_peak{};
  std::optional<std::uint64_t> batches_peak{};  ///< Issued, with the last operation unfinished.
  /// Held, live and promised bytes, without parameters; on cuda, the bytes that batches in flight
  /// keep.
  std::optional<std::uint64_t> bytes_peak{};
  std::optional<std::uint64_t> predicted_bytes_peak{};
  std::optional<std::map<std::string, std::uint64_t>> blocking_operators{};  ///< Name to count.
};

struct LossFigures {
  std::optional<double> first{};
  std::optional<double> last{};
  /// Whether both are finite: JSON has no NaN and no infinity, and writes null instead.
  std::optional<bool> finite{};
};

/// Figures of the memory monitor itself.
struct MonitorFigures {
  std::optional<std::uint64_t> samples{};
  std::optional<std::uint64_t> missed{};
  std::optional<double> jitter_p99_seconds{};
  std::optional<double> cpu_seconds{};            ///< Of the sampling thread.
  std::optional<double> slow_lane_cpu_seconds{};  ///< Of the thread of costly readings.
};

/// How a sweep ran the cell. Everything is nullopt if the run was not part of a sweep.
struct CellFigures {
  std::optional<std::int64_t> attempts{};  ///< More than 1 if it was killed from outside before.
  std::optional<double> wall_seconds{};    ///< Of the last attempt, including its start.
  std::optional<std::uint64_t>
      rss_peak_bytes{};                    ///< Of the process tree; only with a memory limit.
  std::optional<std::int64_t> slot{};      ///< Index among the concurrent cells, from 0.
  std::optional<std::vector<int>> cpus{};  ///< CPUs that it was allowed to use.
};

struct Record {
  std::string id{};  ///< config::config_id of the resolved config.
  std::int64_t repeat = 0;
  Status status = Status::kOk;
  std::optional<std::string> error{};  ///< The error, with the operator's name if one failed.
  std::string experiment{};
  std::string device{};          ///< "" (null in JSON) if it has none: a command.
  Json config = Json::object();  ///< The resolved config.
  Json axes = Json::object();    ///< For a cell of a sweep: JSON pointer to value.
  std::string ended_at{};        ///< When the record was made: "2026-01-31T23:59:59Z"; "" (null in
                                 ///< JSON) if unknown.
  std::string command{};         ///< The command line (command_line.h); likewise.
  Environment environment{};
  TimeFigures time{};
  MemoryFigures memory{};
  BacklogFigures backlog{};
  LossFigures loss{};
  MonitorFigures monitor{};
  CellFigures cell{};
  Json results = Json::object();  ///< Further measurements of the experiment kind.
};

/// A record with everything but its figures filled in; no figure is measured yet.
[[nodiscard]] Record make_record(const config::ExperimentConfig& config, std::int64_t repeat,
                                 const Json& axes);

/// The record of a cell that could not write its own because it crashed, was killed or never
/// started. Its environment is this process's.
[[nodiscard]] Record make_unrun_record(const config::ExperimentConfig& config, std::int64_t repeat,
                                       const Json& axes, Status status, const std::string& error);

[[nodiscard]] Json to_json(const Record& record);

/// The figure sections of to_json, without the list of batches. Figures are read from these.
[[nodiscard]] Json sections_json(const Record& record);

/// Reads a record back. Unknown keys are ignored, so that newer records of the same schema_version
/// can be read. A missing key counts as not measured.
/// @throws Error naming `source` if it is not a record or has another schema_version.
[[nodiscard]] Record from_json(const Json& document, const std::string& source);

}  // namespace runahead::record
