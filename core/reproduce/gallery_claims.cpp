#include <string_view>

#include "core/config/experiment_config.h"
#include "core/reproduce/claim_table.h"
#include "core/reproduce/claims.h"
#include "core/reproduce/judges.h"
#include "core/reproduce/run_plan.h"

namespace runahead::reproduce {
namespace {

constexpr const char* kFailing = "failing_allocation";

/// A scenario of configs/gallery with one of its remedies, and the claim that they show.
struct Scenario {
  const char* name;
  const char* remedy;
  const char* text;
};

constexpr Scenario kScenarios[] = {
    {"host_batches", "window", "Batches staged on the host pile up; a window bounds them."},
    {"host_batches", "budget", "Batches staged on the host pile up; a budget bounds them."},
    {"record_stream", "events",
     "Frees that record_stream defers pile up; buffers that are used again by events do not."},
    {"sharded_parameters", "limit_2",
     "Parameters gathered ahead pile up; at most two gathered layers do not."},
    {"sharded_parameters", "budget",
     "Parameters gathered ahead pile up; a budget in bytes bounds them."},
    {"activation_offload", "window",
     "Host copies of offloaded activations pile up; a window on the way out bounds them."},
    {"loader", "bytes",
     "A loader pins prefetch times workers rounded batches; a bound in bytes does not."},
    {"kept_losses", "detach",
     "Losses that are kept with their graphs keep activations; detached ones do not."},
    {"gradient_accumulation", "budget",
     "Micro-batches that nothing waits for keep the activations of several; a budget bounds them."},
    {"varying_sizes", "expandable_segments",
     "Varying sizes fragment what is reserved; expandable segments do not."},
    {"varying_sizes", "rounding",
     "Varying sizes fragment what is reserved; rounding them up does so less."},
    {"predictions", "copy_out",
     "Predictions that are kept pile up; a window that copies them out bounds them."},
    {kFailing, "wait",
     "An allocation fails although enough is about to be free; one that waits does not."}};

bool must_fail(const Scenario& scenario) { return std::string_view(scenario.name) == kFailing; }

/// "gallery.host_batches.window".
std::string run_of(const Scenario& scenario) {
  return std::string("gallery.") + scenario.name + "." + scenario.remedy;
}

Claim claim_of(const Scenario& scenario) {
  const auto figure = [&](const std::string& name) -> Place {
    return {run_of(scenario), "/results/program/" + name};
  };
  std::vector<Judge> parts;
  if (must_fail(scenario)) {
    parts = {fact_holds(figure("fails_without")), fact_holds(figure("ends_well_with"))};
  } else {
    parts = {median_is(figure("least_ratio"), at_least(3)), fact_holds(figure("is_not_slower"))};
  }
  parts.push_back(fact_holds(figure("results_equal")));
  parts.push_back(fact_holds(figure("counters_equal")));
  return {
      .id = run_of(scenario),
      .text = scenario.text,
      .condition = must_fail(scenario)
                       ? "fails without the remedy, ends well with it; results and counters equal"
                       : "in each of 5 pairs >= 3 times the remedy's peak; the remedy not "
                         "slower by more than 2 %; results and counters equal",
      .expected = kOnAcpu,
      .judge = all_of(std::move(parts))};
}

ReproduceJob job_of(const Scenario& scenario) {
  const std::string script = std::string("configs/gallery/") + scenario.name + ".py";
  const Json config{{"experiment", "program"},
                    {"command", {"python3", "{runahead_home}/" + script, "--compare"}}};
  ReproduceJob job{.run = run_of(scenario),
                   .device = "acpu",
                   .python = {script, "--compare", "--remedy", scenario.remedy}};
  job.cell = sweep::cell_of(config::read_experiment(config, script));
  return job;
}

}  // namespace

Document gallery_claims() {
  std::vector<Claim> claims;
  for (const Scenario& scenario : kScenarios) claims.push_back(claim_of(scenario));
  return {.name = "The pressure gallery", .claims = claims_on("gallery", std::move(claims))};
}

std::vector<ReproduceJob> gallery_plan() {
  std::vector<ReproduceJob> jobs;
  for (const Scenario& scenario : kScenarios) jobs.push_back(job_of(scenario));
  return jobs;
}

}  // namespace runahead::reproduce
