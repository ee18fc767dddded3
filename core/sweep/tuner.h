#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/sweep/cell_runner.h"
#include "core/sweep/paired_ratio.h"
#include "core/sweep/smallest_search.h"

namespace runahead::sweep {

/// The measurements of the runs of one sync policy.
struct PolicyRuns {
  std::int64_t count = 0;
  std::vector<double> examples_per_second{};  ///< Empty for a program that reports no examples.
  std::vector<double> seconds{};              ///< Until the device was idle.
  std::vector<double> peak_bytes{};           ///< Peak of live bytes plus queued inputs.
  std::vector<double> growth_bytes{};         ///< Growth of RSS.
};

/// What a candidate bounds.
enum class Bound { kWindow, kBytes };

/// A bounded run-ahead, compared with an unbounded one.
struct TuneCandidate {
  Bound bound = Bound::kWindow;
  std::uint64_t value = 0;  ///< Batches, or bytes.
  PairedRatio ratio;        ///< Its throughput relative to that of policy `none`.
  PolicyRuns runs{};
};

struct TuneOptions {
  double target = 0.99;  ///< Share of the unbounded throughput to keep, in (0, 1).
  std::int64_t most_cells = 400;
  std::function<void(const record::Record&)> on_record{};    ///< After each run that ended ok.
  std::function<void(const TuneCandidate&)> on_candidate{};  ///< After each of its pairs.
};

struct TuneResult {
  std::int64_t cells = 0;  ///< Number of runs.
  PolicyRuns none{};       ///< Without a bound.
  std::vector<TuneCandidate> candidates{};
  std::optional<SmallestFound> window{};  ///< nullopt: not searched, or not to the end.
  std::optional<SmallestFound> bytes{};   ///< Also nullopt if the device counts no bytes.
  bool reached_most_cells = false;
  std::int64_t pairs = 0;            ///< Pairs measured.
  std::int64_t disturbed_pairs = 0;  ///< Pairs in which something else had the CPU (acpu only).
};

/// Finds the smallest window and the smallest byte budget that keep the target share of the
/// throughput of the policy `none`. Every candidate is measured in pairs with `none`, in
/// alternating order, until there is a verdict (PairedRatio). A pair in which something else had
/// the CPU is measured again, at most kMostRepeats times in all. Byte budgets are searched for
/// between the committed bytes of a wait per batch and those of `none`.
///
/// The config's own sync policy is replaced, and its limit is switched off unless a budget sets it.
/// A `program` that records itself on acpu is bounded through its environment (RUNAHEAD_LIMIT), by
/// bytes only; its throughput is that of the loop it records.
class Tuner {
 public:
  static constexpr int kMostRepeats = 15;

  /// The arguments must outlive the tuner.
  /// @param config  That of a `program`, or one for acpu or cuda with at least 2 batches.
  Tuner(const config::ExperimentConfig& config, CellRunner& runner, const TuneOptions& options);

  /// Blocks until both searches have ended. Call it once.
  /// @throws InterruptedError if the user asked to stop; UnavailableError if the device is
  ///         unavailable; Error if a run fails, or if a program records no loop on acpu. result()
  ///         then holds what was measured so far.
  void run();

  [[nodiscard]] const TuneResult& result() const { return result_; }

 private:
  SmallestFound search(const Ladder& ladder, Bound bound);
  Verdict judge(Bound bound, std::uint64_t value);
  void measure_pair(TuneCandidate& candidate);
  [[nodiscard]] bool counts(const record::Record& one, const record::Record& other);
  record::Record run_with(const Json& settings);
  [[nodiscard]] Cell cell_of(const Json& settings) const;

  const config::ExperimentConfig& config_;
  CellRunner& runner_;
  const TuneOptions& options_;
  TuneResult result_{};
  int repeats_left_ = kMostRepeats;
};

/// The config settings for such a bound: {"sync": {…}}, or {"environment": {…}} for a `program`.
/// @param value  Batches, or bytes as a number or a string such as "47MiB".
[[nodiscard]] Json settings_of(const config::ExperimentConfig& config, Bound bound,
                               const Json& value);

}  // namespace runahead::sweep
