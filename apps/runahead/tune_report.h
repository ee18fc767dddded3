#pragma once

#include <string>

#include "core/base/json.h"
#include "core/config/experiment_config.h"
#include "core/sweep/tuner.h"

namespace runahead::apps {

/// How a tuning ended, and its result.
struct TuneReport {
  const config::ExperimentConfig& config;  ///< As the user gave it.
  double target = 0.99;
  const sweep::TuneResult& result;
  std::string status = "ok";  ///< ok, interrupted or failed.
};

/// {"schema_version", "status", "target", "config", "cells" (number of runs), "pairs",
/// "disturbed_pairs" (something else had the CPU), "none", "candidates", "window", "budget",
/// "advice"}.
///
/// `none` and each candidate: `runs`, and medians `examples_per_second`, `seconds`, `peak_bytes`
/// (live bytes and queued inputs), `growth_bytes` (of RSS). A candidate also: `name`, `policy`,
/// `batches` or `bytes`, `of_none` with `of_none_lower` and `_upper`, `verdict` ("keeps",
/// "does_not_keep" or "none": noise), `is_smallest`. `window` and `budget`: `smallest` (batches,
/// bytes), `sync` (for the config), `below_does_not`, `stopped_by_noise`, `stopped_by_bound` (of
/// runs), `conclusion` (a sentence); null if the search did not finish. Values that were not
/// measured are null.
[[nodiscard]] Json tune_json(const TuneReport& report);

/// The reasons to doubt the result, if any, then the candidates as a table, the chart of throughput
/// against memory, the conclusions and the lines for the config.
[[nodiscard]] std::string tune_text(const TuneReport& report);

/// "window 2", "budget 47MiB".
[[nodiscard]] std::string name_of(const sweep::TuneCandidate& candidate);

/// Progress after a pair: "window 1: pair 3 of 3 to 15, throughput of none 0.998 (0.992 to 1.004)".
[[nodiscard]] std::string progress_text(const sweep::TuneCandidate& candidate);

/// "0.998 (0.992 to 1.004)"; "-" if there is no interval yet.
[[nodiscard]] std::string interval_text(const sweep::TuneCandidate& candidate);

}  // namespace runahead::apps
