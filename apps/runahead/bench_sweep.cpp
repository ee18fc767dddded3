#include "apps/runahead/benchmarks.h"

#include <algorithm>
#include <fstream>

#include "apps/runahead/bench_figures.h"
#include "apps/runahead/program_meter.h"
#include "core/base/bytes.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/number_text.h"
#include "core/base/scratch_folder.h"
#include "core/report/table.h"

namespace runahead::apps {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kLargeOverSmall = 10;
constexpr double kMillisecondsPerSecond = 1e3;
constexpr const char* kWall = "wall_ms_per_cell";
constexpr const char* kCellsWall = "cells_wall_ms_per_cell";
constexpr const char* kOverhead = "overhead_ms_per_cell";
constexpr const char* kAlone = "cell_alone_ms";
constexpr const char* kAdded = "added_ms_per_cell";
constexpr const char* kUnlimited = "without_memory_limit";
constexpr std::int64_t kCellsOverAlone = 20;  ///< Cells of a sweep per run without a sweep.

enum class MemoryLimit { kSet, kNone };

Json sweep_config(std::int64_t cells, MemoryLimit limit) {
  Json config = {{"base", {{"experiment", "train"}, {"device", "cpu"}}},
                 {"axes", {{"/seed", {{"range", {{"from", 0}, {"to", cells - 1}}}}}}},
                 {"timeout", "1min"}};
  if (limit == MemoryLimit::kSet) config["memory_limit"] = "1GB";
  return config;
}

/// A document without its list of cells, which is long.
Json read_members(const fs::path& path) {
  const auto keep = [](int depth, Json::parse_event_t event, const Json& parsed) {
    return event != Json::parse_event_t::key || depth != 1 || parsed != "cells";
  };
  std::ifstream file(path);
  Json members = Json::parse(file, keep, false);
  if (members.is_object() && members.contains("cost")) return members;
  throw Error("'" + path.string() + "' is not what `runahead sweep --json` prints");
}

/// One sweep with its files.
class MeasuredSweep {
 public:
  MeasuredSweep(const SweepBenchPrograms& programs, ProgramMeter& meter, const fs::path& folder,
                std::int64_t cells, MemoryLimit limit)
      : programs_(programs),
        meter_(meter),
        folder_(folder),
        config_(folder / "sweep.json"),
        cells_(cells) {
    write_file_atomically(config_, dump_json(sweep_config(cells, limit), 2));
  }
  ~MeasuredSweep() {
    std::error_code ignored;
    fs::remove_all(out(), ignored);
  }
  MeasuredSweep(const MeasuredSweep&) = delete;
  MeasuredSweep& operator=(const MeasuredSweep&) = delete;

  /// Runs the cells that have no record yet. @throws Error unless there are `runs` of them.
  ProgramCost run(std::int64_t runs) {
    const ProgramCost cost =
        meter_.run(programs_.runahead,
                   {"sweep", config_.string(), "--out", out().string(), "--jobs", "1", "--json"});
    const Json members = read_members(meter_.stdout_path());
    if (members["cost"]["runs"] != runs) {
      throw Error("a sweep was to run " + std::to_string(runs) +
                  " cells, and its cost is that of " + dump_json(members["cost"]["runs"]) +
                  "; rebuild all programs: records of another version do not count");
    }
    cells_wall_seconds_ = members["cost"]["cells_wall_seconds"].get<double>();
    rss_peak_bytes_ = members["cost"]["rss_peak_bytes"].get<std::uint64_t>();
    return cost;
  }

  /// Runs a cell again that has already run, without a sweep. @return Seconds.
  double run_cell_alone() {
    const fs::path cell = fs::directory_iterator(out() / "cells")->path();
    fs::remove(cell / "record.json");  // A cell writes over none.
    return meter_
        .run(programs_.stub_cell, {"run", (cell / "config.json").string(), "--out", cell.string(),
                                   "--axes", (cell / "axes.json").string()})
        .wall_seconds;
  }

  ProgramCost write_slurm_script() {
    return meter_.run(programs_.runahead, {"sweep", config_.string(), "--out", out().string(),
                                           "--launcher", "slurm", "--dry-run"});
  }

  /// Converts seconds of a whole sweep to milliseconds per cell.
  [[nodiscard]] double ms_per_cell(double seconds) const {
    return kMillisecondsPerSecond * seconds / static_cast<double>(cells_);
  }

  /// The cells' wall time in the last run.
  [[nodiscard]] double cells_wall_seconds() const { return cells_wall_seconds_; }
  /// Peak RSS of the last sweep's own process.
  [[nodiscard]] std::uint64_t rss_peak_bytes() const { return rss_peak_bytes_; }

 private:
  [[nodiscard]] fs::path out() const { return folder_ / "out"; }

  const SweepBenchPrograms& programs_;
  ProgramMeter& meter_;
  fs::path folder_;
  fs::path config_;
  std::int64_t cells_;
  double cells_wall_seconds_ = 0.0;
  std::uint64_t rss_peak_bytes_ = 0;
};

/// Milliseconds that a cell takes without a sweep, on average.
double cell_alone_ms(MeasuredSweep& sweep, std::int64_t cells) {
  const std::int64_t runs = std::max<std::int64_t>(1, cells / kCellsOverAlone);
  double seconds = 0.0;
  for (std::int64_t run = 0; run < runs; ++run) seconds += sweep.run_cell_alone();
  return kMillisecondsPerSecond * seconds / static_cast<double>(runs);
}

BenchCase sweep_case(const SweepBenchPrograms& programs, ProgramMeter& meter,
                     const fs::path& folder, std::int64_t cells, MemoryLimit limit) {
  return [&programs, &meter, folder, cells, limit]() -> std::optional<Measurement> {
    MeasuredSweep sweep(programs, meter, folder, cells, limit);
    const double wall_ms = sweep.ms_per_cell(sweep.run(cells).wall_seconds);
    const double cells_ms = sweep.ms_per_cell(sweep.cells_wall_seconds());
    const double alone_ms = cell_alone_ms(sweep, cells);
    return Measurement{.figures = {{kWall, wall_ms},
                                   {kCellsWall, cells_ms},
                                   {kOverhead, wall_ms - cells_ms},
                                   {kAlone, alone_ms},
                                   {kAdded, wall_ms - alone_ms}}};
  };
}

void add_times(const SweepBenchPrograms& programs, ProgramMeter& meter, const fs::path& folder,
               const BenchOptions& options, Json& figures) {
  const auto with = [&](MemoryLimit limit) {
    return sweep_case(programs, meter, folder, options.cells, limit);
  };
  BenchRounds rounds(std::to_string(options.cells) + " cells",
                     {with(MemoryLimit::kSet), with(MemoryLimit::kNone)}, options);
  rounds.run();
  figures["cells"] = options.cells;
  for (const char* key : {kWall, kCellsWall, kOverhead, kAlone, kAdded}) {
    add_spread(figures, key, rounds.figure(0, key));
    add_spread(figures[kUnlimited], key, rounds.figure(1, key));
  }
}

void add_memory(const SweepBenchPrograms& programs, ProgramMeter& meter, const fs::path& folder,
                const BenchOptions& options, Json& figures) {
  const std::int64_t cells = kLargeOverSmall * options.cells;
  MeasuredSweep sweep(programs, meter, folder, cells, MemoryLimit::kSet);
  if (options.report) options.report(std::to_string(cells) + " cells: once");
  const ProgramCost script = sweep.write_slurm_script();
  const ProgramCost whole = sweep.run(cells);
  const std::uint64_t rss_peak_bytes = sweep.rss_peak_bytes();
  const ProgramCost resume = sweep.run(0);
  figures["large"] = {{"cells", cells},
                      {kWall, sweep.ms_per_cell(whole.wall_seconds)},
                      {"parent_rss_peak_bytes", rss_peak_bytes},
                      {"resume_rss_peak_bytes", sweep.rss_peak_bytes()},
                      {"resume_seconds", resume.wall_seconds},
                      {"slurm_script_rss_peak_bytes", script.rss_peak_bytes}};
}

}  // namespace

Json bench_sweep(const SweepBenchPrograms& programs, const BenchOptions& options) {
  const ScratchFolder scratch;
  ProgramMeter meter(scratch.path(), {{"RUNAHEAD_CELL", programs.stub_cell.string()}});
  Json figures = Json::object();
  add_times(programs, meter, scratch.path(), options, figures);
  add_memory(programs, meter, scratch.path(), options, figures);
  return figures;
}

std::string sweep_bench_table(const Json& figures) {
  const Json& large = figures["large"];
  const auto bytes = [&large](const char* key) {
    return format_bytes(large[key].get<std::uint64_t>());
  };
  const std::string many = format_count(large["cells"].get<double>()) + " cells: ";
  report::Table table{
      .headings = {"a sweep of cells that do nothing", "with a memory limit", "without"}};
  const auto add_time = [&](const std::string& what, const char* key) {
    table.add_row(
        {what, three_digit_spread(figures, key), three_digit_spread(figures[kUnlimited], key)});
  };
  add_time(format_count(figures["cells"].get<double>()) + " cells: ms per cell, total", kWall);
  add_time("  in the cell's own process", kCellsWall);
  add_time("  outside that process", kOverhead);
  add_time("  the same cell, started without a sweep", kAlone);
  add_time("  total minus that: overhead of the sweep", kAdded);
  table.add_row({many + "ms per cell, total", three_digits(large[kWall].get<double>()), "-"});
  table.add_row({many + "peak RSS", bytes("parent_rss_peak_bytes"), "-"});
  table.add_row({many + "peak RSS with nothing left to run", bytes("resume_rss_peak_bytes"), "-"});
  table.add_row({many + "seconds to find nothing left to run",
                 three_digits(large["resume_seconds"].get<double>()), "-"});
  table.add_row({many + "peak RSS, script for Slurm", bytes("slurm_script_rss_peak_bytes"), "-"});
  return to_text(table) + "Medians, with minimum and maximum in brackets.\n";
}

}  // namespace runahead::apps
