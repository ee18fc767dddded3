#include "apps/runahead/unfinished_sweep.h"

#include "core/base/error.h"
#include "core/config/sweep_config.h"
#include "core/record/record_file.h"
#include "core/sweep/folder_lock.h"
#include "core/sweep/plan.h"
#include "core/sweep/record_store.h"
#include "core/sweep/run_figures.h"
#include "core/sweep/sweep.h"

namespace runahead::apps {

namespace {

namespace fs = std::filesystem;

struct Counts {
  std::size_t done = 0;
  std::size_t total = 0;
};

/// nullopt if the folder is damaged, which reading its records reports, or if `sweep` refuses such
/// a config by now.
std::optional<Counts> counts_of(const fs::path& folder) {
  const fs::path path = folder / "sweep.json";
  try {
    const Json document = read_json_file(path, sweep::kSweepBounds);
    const sweep::Plan plan =
        sweep::make_plan(config::read_sweep(document, path.string(), folder), path.string());
    const sweep::EarlierRuns earlier = sweep::read_earlier_runs(
        plan, folder / "records.jsonl", record::shard_files(folder), {}, sweep::Versions::kAny);
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

std::optional<std::string> warning_of_missing_runs(const fs::path& folder) {
  if (!fs::exists(folder / "sweep.json")) return std::nullopt;
  const bool is_running =
      sweep::is_locked(folder) || sweep::lock_of_running_shard(folder).has_value();
  const bool is_empty = !sweep::has_records(folder);
  const std::optional<Counts> counts = counts_of(folder);
  if (!counts) return std::nullopt;
  const std::string done =
      ": " + std::to_string(counts->done) + " of " + std::to_string(counts->total) + " runs done";
  const std::string sweep = "the sweep in '" + folder.string() + "' ";
  const std::string remedy = "; the same `runahead sweep` command runs what is left";
  if (!is_empty && is_running) return sweep + "is running" + done + "; only what has ended counts";
  if (!is_empty) {
    return counts->done < counts->total ? std::optional(sweep + "is incomplete" + done + remedy)
                                        : std::nullopt;
  }
  if (is_running)
    throw ConfigError(sweep + "is running" + done + "; try again when a run has ended");
  if (!record::shard_files(folder).empty()) {
    throw ConfigError(sweep + "has shards that have ended no run yet" + done);
  }
  throw ConfigError(sweep + "was interrupted" + done + remedy);
}

}  // namespace runahead::apps
