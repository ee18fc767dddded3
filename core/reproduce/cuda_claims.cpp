#include <algorithm>
#include <cmath>
#include <utility>

#include "core/reproduce/claim_table.h"
#include "core/reproduce/claims.h"
#include "core/reproduce/cuda_judges.h"
#include "core/reproduce/judges.h"

namespace runahead::reproduce {
namespace {

constexpr double kLeastOfEveryBatch = 0.98;  // Throughput without a wait over that with one.
constexpr double kLeastOfNone = 0.99;        // Throughput of a window over that without a wait.
constexpr double kMostT1OverT2 = 0.2;        // Low enough that batches queue.
constexpr double kMostUneven = 0.02;         // Largest over smallest of flat peaks, minus 1.
constexpr double kMostOff = 0.25;            // Relative deviation of growth from its explanation.
constexpr double kLeastInFlight = 8.0;       // With fewer additional batches nothing could grow.
constexpr double kLeastInBuffers = 2.0;      // The same if a few buffers are reused.
const std::string kPeakInUse = "/memory/cuda/active_peak_bytes";  // Includes deferred frees.
const std::string kPeakPinned = "/memory/cuda/pinned_peak_bytes";

Bounded about(double bytes, double expected) {
  return {bytes, (1.0 - kMostOff) * expected, (1.0 + kMostOff) * expected};
}

BoundOf growth_of(const std::string& peak) {
  return [peak](const CudaFigures& figures) {
    return about(figures.excess(peak), figures.more_in_flight() * figures.batch_bytes());
  };
}

BoundOf constant(const std::string& peak) {
  return [peak](const CudaFigures& figures) -> Bounded {
    return {.value = figures.excess(peak), .most = figures.batch_bytes() - 1.0};
  };
}

BoundOf flat(const std::string& peak) {
  return [peak](const CudaFigures& figures) -> Bounded {
    double least = Bounded().most;
    double most = 0.0;
    for (const std::string& policy : figures.chart().policies) {
      const double found = figures.median(policy, peak);
      if (std::isnan(found)) return {};
      least = std::min(least, found);
      most = std::max(most, found);
    }
    return {.value = most, .least = 1.0, .most = (1.0 + kMostUneven) * least};
  };
}

/// Bounds are one batch, since something was in flight, and what the policy admits.
BoundOf bytes_in_flight(const std::string& policy) {
  return [policy](const CudaFigures& figures) -> Bounded {
    return {figures.highest(policy, "/backlog/bytes_peak"), figures.batch_bytes(),
            figures.admitted_bytes(policy)};
  };
}

/// As bytes_in_flight(), with a batch of slack for other page-locked memory.
BoundOf pinned_bytes(const std::string& policy) {
  return [policy](const CudaFigures& figures) -> Bounded {
    return {figures.highest(policy, kPeakPinned), figures.batch_bytes(),
            figures.admitted_bytes(policy) + figures.batch_bytes()};
  };
}

/// The lower bound allows for a batch that takes a little less than its size.
Bounded deferred_frees(const CudaFigures& figures) {
  return {figures.highest("window", kPeakInUse) - figures.median("every_batch", kPeakInUse),
          (1.0 - kMostOff) * figures.batch_bytes(), figures.admitted_bytes("window")};
}

/// A claim about the bytes of one chart, or of every chart of a sweep.
struct Mechanism {
  std::string where{};
  std::string name{};
  std::string text{};
  std::string condition{};
  double least_in_flight = 0.0;
  BoundOf bound{};
};

const std::string kGrowsByBatches =
    "by the bytes of the batches in flight, within 25 %, with 8 more of them";
const std::string kGrowsByNoBatch = "by less than a batch, with 2 more in flight";
const std::string kFlat = "peaks within 2 %, with 8 more batches in flight";
const std::string kAdmitted = "from one batch to what the policy admits";
const std::string kAdmittedAndSlack = kAdmitted + ", and one batch more";

std::vector<Mechanism> mechanisms() {
  return {
      {"plain", "allocated_memory_is_flat", "One stream is flat in allocated device memory.", kFlat,
       kLeastInFlight, flat("/memory/cuda/allocated_peak_bytes")},
      {"plain", "reserved_memory_is_flat", "One stream is flat in reserved device memory.", kFlat,
       kLeastInFlight, flat("/memory/cuda/reserved_peak_bytes")},
      {"plain", "used_memory_is_flat", "One stream is flat in used device memory.", kFlat,
       kLeastInFlight, flat("/memory/cuda/used_peak_bytes")},
      {"plain", "window_bounds_bytes", "A window bounds the bytes in flight.", kAdmitted, 0.0,
       bytes_in_flight("window")},
      {"plain", "window_bounds_pinned_memory", "A window bounds page-locked memory.",
       kAdmittedAndSlack, 0.0, pinned_bytes("window")},
      {"staging: pinned", "pinned_memory_grows", "Page-locked memory grows.", kGrowsByBatches,
       kLeastInFlight, growth_of(kPeakPinned)},
      {"staging: pinned", "budget_bounds_bytes", "A budget bounds the bytes in flight.", kAdmitted,
       0.0, bytes_in_flight("budget")},
      {"staging: pinned", "budget_bounds_pinned_memory", "A budget bounds page-locked memory.",
       kAdmittedAndSlack, 0.0, pinned_bytes("budget")},
      {"staging: pinned_ring", "pinned_memory_is_constant", "A ring of buffers does not grow.",
       kGrowsByNoBatch, kLeastInBuffers, constant(kPeakPinned)},
      {"copies: side_record_stream", "memory_grows",
       "With record_stream on a side stream device memory grows.", kGrowsByBatches, kLeastInFlight,
       growth_of(kPeakInUse)},
      {"copies: side_record_stream", "window_bounds_bytes", "A window bounds the bytes in flight.",
       kAdmitted, 0.0, bytes_in_flight("window")},
      {"copies: side_record_stream", "window_bounds_deferred_frees",
       "A window bounds deferred frees.", kAdmitted, 0.0, deferred_frees},
      {"copies: side_reuse", "memory_is_constant",
       "With events and reused buffers on a side stream it does not grow.", kGrowsByNoBatch,
       kLeastInBuffers, constant(kPeakInUse)},
      {"expandable_segments", "memory_grows", "Frees are deferred whatever the segments are.",
       kGrowsByBatches, kLeastInFlight, growth_of(kPeakInUse)},
  };
}

/// "cuda.staging.pinned.NAME".
Claim cuda_claim(const std::string& where, const std::string& name, const std::string& text,
                 const std::string& condition, Judge judge) {
  std::string id = "cuda." + where + "." + name;
  if (const auto colon = id.find(": "); colon != std::string::npos) id.replace(colon, 2, ".");
  return {.id = id,
          .text = where + ": " + text,
          .condition = condition,
          .expected = kOnCuda,
          .judge = std::move(judge)};
}

std::vector<Claim> mechanism_claims(const CudaChart& chart) {
  std::vector<Claim> claims;
  for (const Mechanism& row : mechanisms()) {
    if (row.where != chart.name() && row.where != chart.sweep) continue;
    claims.push_back(cuda_claim(chart.name(), row.name, row.text, row.condition,
                                in_bounds(chart, row.least_in_flight, row.bound)));
  }
  return claims;
}

/// Claims of every chart that compares `none` with `every_batch`.
std::vector<Claim> comparison_claims(const CudaChart& chart) {
  const std::string where = chart.name();
  std::vector<Claim> claims{cuda_claim(
      where, "batches_queue", "A batch takes the device much longer than the front end.",
      "t1 at most 20 % of t2 (median of the repeats)", batches_queue(chart, kMostT1OverT2))};
  if (chart.sweep != "outputs") {
    claims.push_back(cuda_claim(where, "losses_are_equal", "Waits do not change losses.",
                                "one final loss", losses_are_equal(chart)));
  }
  for (const std::string& policy : chart.policies) {
    if (policy == "every_batch" || policy == "budget") continue;
    const std::string other = policy == "none" ? "every_batch" : "none";
    const double least = policy == "none" ? kLeastOfEveryBatch : kLeastOfNone;
    claims.push_back(cuda_claim(
        where, policy + "_keeps_the_throughput", policy + " keeps the throughput of " + other + ".",
        "at least " + percent_text(least) + " of it, by the total times (median of the repeats)",
        share_of_pairs({chart.run(other), "/time/total_seconds"}, at_least(least),
                       {chart.run(policy), "/time/total_seconds"})));
  }
  return claims;
}

/// The memory of the outputs: the same program keeps them in `kept` and drops them in `dropped`.
Bounded kept_outputs(const CudaFigures& kept) {
  const CudaChart other{"outputs", "/outputs", "dropped", kept.chart().policies};
  const CudaFigures dropped(kept.measured(), other);
  const Json layers = kept.measured().value(kept.chart().run("none"), "/config/model/layers");
  if (!layers.is_array()) return {};
  return about(kept.median("none", kPeakInUse) - dropped.median("none", kPeakInUse),
               kept.median("none", "/config/batches") *
                   kept.median("none", "/config/data/batch_size") * layers.back().get<double>() *
                   sizeof(float));
}

/// The bytes kept by the launches that queue behind a held device.
Bounded kept_launches(const CudaFigures& figures) {
  double bytes = figures.median("", "/results/launch_queue/depth") * sizeof(float);
  for (const Json& width : figures.measured().value(figures.chart().name(), "/config/shape")) {
    bytes *= width.get<double>();
  }
  return about(figures.median("", "/results/launch_queue/kept_bytes"), bytes);
}

Judge launching_blocks(const std::string& run) {
  return [run](const Measured& measured) -> Finding {
    const Json unknown = measured.value(run, "/results/launch_queue/depth_unknown_because");
    const auto depth = measured.figure(run, "/results/launch_queue/depth");
    if (unknown.is_string()) return {.measured = "not measured: " + unknown.get<std::string>()};
    if (!depth) return not_measured(measured, run);
    return judged({.what = "least depth", .value = depth->min, .limit = above(0.0)});
  };
}

std::vector<Claim> outputs_claims() {
  const CudaChart kept_ones{"outputs", "/outputs", "kept", {"none"}};
  const CudaChart launches{"launch_queue", "/outputs", "kept", {}};
  std::vector<Claim> claims{
      cuda_claim("outputs: kept", "predictions_stay", "Predictions that are kept stay in memory.",
                 "their size, within 25 %", in_bounds(kept_ones, 0.0, kept_outputs)),
      cuda_claim(launches.name(), "launches_keep_outputs",
                 "Launches in the queue keep their outputs.",
                 "the depth times the bytes of an output, within 25 %",
                 in_bounds(launches, 0.0, kept_launches))};
  for (const char* outputs : {"dropped", "kept"}) {
    const std::string run = std::string("launch_queue: ") + outputs;
    claims.push_back(cuda_claim(run, "launching_blocks", "Launching blocks when the queue is full.",
                                "a depth in each repeat", launching_blocks(run)));
  }
  return claims;
}

Judge sweep_is_whole(const std::string& sweep) {
  return [sweep](const Measured& measured) -> Finding {
    const Json results = measured.value(sweep, "/results");
    if (results.is_null()) return not_measured(measured, sweep);
    return {.holds = results["runs"] >= results["asked"] && results["unexpected"] == 0,
            .measured = results["runs"].dump() + " of " + results["asked"].dump() + " runs, " +
                        results["unexpected"].dump() +
                        " of them ended otherwise: " + results["states"].get<std::string>(),
            .values = results};
  };
}

/// The list has `count` entries.
Judge has_entries(const Place& place, std::size_t count) {
  return [place, count](const Measured& measured) -> Finding {
    const Json found = measured.value(place.run, place.pointer);
    if (!found.is_array()) return not_measured(measured, place.run);
    return {.holds = found.size() == count, .measured = found.dump(), .values = found};
  };
}

/// Claims about the folder as a whole.
std::vector<Claim> folder_claims() {
  const auto fact = [](const char* run, const char* key) {
    return Place{run, std::string("/results/") + key};
  };
  std::vector<Claim> claims{
      cuda_claim("tests", "pass", "The tests that need a GPU pass.", "all, none skipped",
                 all_of({median_is(fact("tests", "tests"), at_least(1.0)),
                         median_is(fact("tests", "failures"), exactly(0.0)),
                         median_is(fact("tests", "skipped"), exactly(0.0))})),
      cuda_claim("programs", "end_well", "The tutorials and `bench transfer` end well.",
                 "none is missing", has_entries(fact("programs", "missing"), 0)),
      cuda_claim("versions", "are_one", "One version of runahead wrote every record.",
                 "one; else start a new folder", has_entries(fact("versions", "versions"), 1)),
      cuda_claim("out_of_memory", "has_a_summary",
                 "A record of a run without memory has the allocator's summary.", "each does",
                 all_of({median_is(fact("out_of_memory", "summaries"), at_least(1.0)),
                         median_is(fact("out_of_memory", "without_summary"), exactly(0.0))}))};
  for (const std::string& sweep : cuda_sweeps()) {
    claims.push_back(cuda_claim(sweep, "is_whole", "Each run ends as it should.",
                                sweep == "out_of_memory"
                                    ? "the largest batch size out_of_memory, the others ok"
                                    : "all of them ok",
                                sweep_is_whole(sweep)));
  }
  return claims;
}

}  // namespace

Document cuda_claims() {
  Document document{.name = "Memory on CUDA",
                    .claims = concatenated({folder_claims(), outputs_claims()})};
  for (const CudaChart& chart : cuda_charts()) {
    if (chart.policies.empty()) continue;
    document.claims =
        concatenated({document.claims, comparison_claims(chart), mechanism_claims(chart)});
  }
  return document;
}

}  // namespace runahead::reproduce
