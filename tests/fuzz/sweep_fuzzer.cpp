// A sweep config: read, planned, written out and read again; a small one is run by a runner that
// does nothing, and its folder must take it up again.

#include <optional>
#include <string>
#include <string_view>

#include "core/base/json.h"
#include "core/base/scratch_folder.h"
#include "core/config/sweep_config.h"
#include "core/sweep/plan.h"
#include "core/sweep/record_store.h"
#include "core/sweep/sweep.h"
#include "fuzz/fuzz_target.h"
#include "support/recorded_runner.h"

namespace runahead::fuzz {
namespace {

constexpr std::size_t kMostPlannedRuns = 256;
constexpr std::size_t kMostStoredRuns = 6;

/// What a plan runs, in its order, and what it skips.
std::string text_of(const sweep::Plan& plan) {
  std::string text;
  for (const sweep::CellJob& job : plan.jobs) {
    text += plan.cells.id(job.cell) + "-" + std::to_string(job.repeat) + "\n";
  }
  for (const std::size_t cell : plan.skipped) {
    text += plan.cells.id(cell) + ": " + plan.cells.reason(cell) + "\n";
  }
  return text;
}

struct Planned {
  sweep::Plan plan{};
  std::string refusal{};  ///< Empty if there is a plan.
};

Planned plan_of(const config::SweepConfig& sweep) {
  Planned planned;
  planned.refusal =
      refusal_of<ConfigError>([&] { planned.plan = sweep::make_plan(sweep, "fuzz"); });
  return planned;
}

/// The same sweep, from what it is written out as.
config::SweepConfig written_out(const config::SweepConfig& sweep) {
  const std::string text = dump_json(config::to_json(sweep));
  const config::SweepConfig again =
      config::read_sweep(parse_json(text, "written out"), "written out", ".");
  require(dump_json(config::to_json(again)) == text, "a resolved sweep resolves to another");
  return again;
}

/// A folder that a sweep filled takes it up again, and nothing is left to run.
void check_store(const config::SweepConfig& sweep, const sweep::Plan& plan) {
  const ScratchFolder folder;
  for (const bool is_resumed : {false, true}) {
    sweep::RecordStore store(folder.path(), sweep);
    test::RecordedRunner runner([](const sweep::Cell& cell, const sweep::CellJob& job) {
      return record::make_record(cell.config, job.repeat, cell.axes);
    });
    const sweep::SweepResult result = sweep::run_sweep(plan, store, runner, {});
    require(result.cost.runs == (is_resumed ? 0 : plan.jobs.size()), "a wrong number of runs");
    for (const auto& repeats : result.runs) {
      for (const auto& run : repeats) require(run.has_value(), "a run has no record");
    }
  }
}

/// Nothing if the text is refused, or its base is a file: none of this machine is looked at.
std::optional<config::SweepConfig> read(std::string_view text) {
  std::optional<config::SweepConfig> sweep;
  refusal_of<ConfigError>([&] {
    const Json document = parse_json(text, "fuzz");
    if (document.is_object() && document.contains("base") && document["base"].is_string()) return;
    sweep = config::read_sweep(document, "fuzz", ".");
  });
  return sweep;
}

}  // namespace
}  // namespace runahead::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace runahead;
  const auto sweep = fuzz::read(fuzz::input_text(data, size));
  if (!sweep) return 0;
  const config::SweepConfig again = fuzz::written_out(*sweep);
  const std::size_t runs =
      config::combination_count(*sweep) * static_cast<std::size_t>(sweep->repeats);
  if (runs > fuzz::kMostPlannedRuns) return 0;
  const fuzz::Planned planned = fuzz::plan_of(*sweep);
  const fuzz::Planned planned_again = fuzz::plan_of(again);
  fuzz::require(planned_again.refusal == planned.refusal, "only one of the two has a plan");
  fuzz::require(fuzz::text_of(planned_again.plan) == fuzz::text_of(planned.plan),
                "it plans other runs");
  if (planned.refusal.empty() && runs <= fuzz::kMostStoredRuns) {
    fuzz::check_store(*sweep, planned.plan);
  }
  return 0;
}
