#include "apps/runahead/unfinished_sweep.h"

#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/config/sweep_config.h"
#include "core/record/record_file.h"
#include "core/sweep/earlier_runs.h"
#include "core/sweep/folder_lock.h"
#include "core/sweep/plan.h"
#include "core/sweep/record_store.h"
#include "core/sweep/sweep.h"

namespace runahead::apps {

namespace {

namespace fs = std::filesystem;

struct Counts {
  std::size_t done = 0;
  std::size_t total = 0;
};

/// nullopt if the folder is damaged: reading its records reports that.
std::optional<Counts> counts_of(const fs::path& folder) {
  const fs::path path = folder / "sweep.json";
  try {
    const Json document = read_json_file(path, sweep::kSweepBounds);
    const sweep::Plan plan =
        sweep::make_plan(config::read_sweep(document, path.string(), folder), path.string());
    const sweep::EarlierRuns earlier =
        sweep::read_earlier_runs(plan, folder / "records.jsonl", record::shard_files(folder));
    Counts counts{.total = plan.run_count()};
    for (const auto& repeats : earlier.runs) {
      for (const auto& run : repeats) counts.done += std::size_t{sweep::has_ended(run, {})};
    }
    return counts;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

void require_ended_runs(const fs::path& folder) {
  if (!fs::exists(folder / "sweep.json")) return;
  const bool is_running = sweep::is_locked(folder);
  const bool is_empty = !sweep::has_records(folder);
  if (!is_running && !is_empty) return;
  const std::optional<Counts> counts = counts_of(folder);
  if (!counts) return;
  const std::string done =
      ": " + std::to_string(counts->done) + " of " + std::to_string(counts->total) + " done";
  const std::string sweep = "the sweep in '" + folder.string() + "' ";
  if (!is_empty) {
    log_info(sweep + "is running" + done + "; only what has ended counts");
  } else if (is_running) {
    throw ConfigError(sweep + "is running" + done + "; try again when a run has ended");
  } else if (!record::shard_files(folder).empty()) {
    throw ConfigError(sweep + "has shards that have ended no run yet" + done);
  } else {
    throw ConfigError(sweep + "was interrupted" + done +
                      "; the same `runahead sweep` command runs what is left");
  }
}

}  // namespace runahead::apps
