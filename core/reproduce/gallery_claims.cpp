#include "core/config/experiment_config.h"
#include "core/reproduce/claim_table.h"
#include "core/reproduce/claims.h"
#include "core/reproduce/judges.h"
#include "core/reproduce/run_plan.h"

namespace runahead::reproduce {
namespace {

/// A scenario of configs/gallery, and what it shows.
struct Scenario {
  const char* name;
  const char* text;
};

constexpr Scenario kScenarios[] = {
    {"host_batches", "Batches queued on the host pile up; a window or a budget bounds them."},
    {"record_stream",
     "Frees that record_stream defers pile up; buffers that are used again by events do not."},
    {"sharded_parameters",
     "Parameters gathered ahead pile up; at most two gathered layers do not."},
    {"activation_offload",
     "Host copies of offloaded activations pile up; a window on the way out bounds them."},
    {"loader", "A loader pins prefetch times workers rounded batches; a bound in bytes does not."},
    {"kept_losses",
     "Losses that are kept with their graphs keep activations; detached ones don't."},
    {"gradient_accumulation",
     "Micro-batches that nothing waits for keep the activations of several; a budget bounds them."},
    {"varying_sizes",
     "Varying sizes fragment what is reserved; expandable segments and rounding do not."},
    {"predictions",
     "Predictions that are kept pile up; a window that copies them out bounds them."}};

constexpr const char* kFailing = "failing_allocation";

std::string run_of(const std::string& scenario) { return "gallery." + scenario; }

Place figure(const std::string& scenario, const std::string& name) {
  return {run_of(scenario), "/results/program/" + name};
}

std::vector<Judge> same_results(const std::string& scenario) {
  return {fact_holds(figure(scenario, "results_equal")),
          fact_holds(figure(scenario, "counters_equal"))};
}

Claim growth_claim(const Scenario& scenario) {
  std::vector<Judge> parts{median_is(figure(scenario.name, "least_ratio"), at_least(3)),
                           fact_holds(figure(scenario.name, "is_as_fast"))};
  for (Judge& part : same_results(scenario.name)) parts.push_back(std::move(part));
  return {.id = run_of(scenario.name),
          .text = scenario.text,
          .condition =
              "in each of 5 pairs >= 3 times the remedy's peak; the remedy not slower by "
              "more than 2 %; results and counters equal",
          .expected = kOnAcpu,
          .judge = all_of(std::move(parts))};
}

Claim failing_claim() {
  std::vector<Judge> parts{fact_holds(figure(kFailing, "fails_without")),
                           fact_holds(figure(kFailing, "ends_well_with"))};
  for (Judge& part : same_results(kFailing)) parts.push_back(std::move(part));
  return {.id = run_of(kFailing),
          .text =
              "An allocation fails although enough is about to be freed; one that waits for "
              "what is in flight does not.",
          .condition = "fails without the wait, ends well with it; results and counters equal",
          .expected = kOnAcpu,
          .judge = all_of(std::move(parts))};
}

}  // namespace

Document gallery_claims() {
  std::vector<Claim> claims;
  for (const Scenario& scenario : kScenarios) claims.push_back(growth_claim(scenario));
  claims.push_back(failing_claim());
  return {.name = "The pressure gallery", .claims = claims_on("gallery", std::move(claims))};
}

std::vector<ReproduceJob> gallery_plan() {
  std::vector<ReproduceJob> jobs;
  for (const Claim& claim : gallery_claims().claims) {
    const std::string name = claim.id.substr(claim.id.find('.') + 1);
    const std::string script = "configs/gallery/" + name + ".py";
    const Json config{{"experiment", "program"},
                      {"command", {"python3", "{runahead_home}/" + script, "--compare"}}};
    ReproduceJob job{.run = claim.id, .device = "acpu", .python = {script, "--compare"}};
    job.cell.config = config::read_experiment(config, script);
    job.cell.id = config::config_id(job.cell.config);
    jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace runahead::reproduce
