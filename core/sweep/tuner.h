#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/sweep/cell_runner.h"
#include "core/sweep/paired_ratio.h"
#include "core/sweep/smallest_search.h"

namespace runahead::sweep {

/// What the runs of one sync policy measured.
struct PolicyRuns {
  std::int64_t count = 0;
  std::vector<double> examples_per_second{};  ///< None of a program that reported no examples.
  std::vector<double> seconds{};              ///< Until the device was idle.
  std::vector<double> peak_bytes{};           ///< Live bytes and queued inputs, the highest sum.
  std::vector<double> growth_bytes{};         ///< Of RSS.
};

/// What a candidate bounds.
enum class Bound { kWindow, kBytes };

/// A bounded run-ahead, compared with an unbounded one.
struct TuneCandidate {
  Bound bound = Bound::kWindow;
  std::uint64_t value = 0;  ///< Batches, or bytes.
  PairedRatio ratio;        ///< Of its throughput to that of policy `none`.
  PolicyRuns runs{};
};

struct TuneOptions {
  double target = 0.99;  ///< Share of the unbounded throughput to keep, in (0, 1).
  std::int64_t most_cells = 400;
  std::function<void(const record::Record&)> on_record{};    ///< After each run that ended ok.
  std::function<void(const TuneCandidate&)> on_candidate{};  ///< After each of its pairs.
};

struct TuneResult {
  std::int64_t cells = 0;  ///< Runs that were made.
  PolicyRuns none{};       ///< Without a bound.
  std::vector<TuneCandidate> candidates{};
  std::optional<SmallestFound> window{};  ///< nullopt: not searched, or not to the end.
  std::optional<SmallestFound> bytes{};   ///< Also nullopt where a device counts no bytes.
  bool reached_most_cells = false;
  std::int64_t pairs = 0;            ///< That were measured.
  std::int64_t disturbed_pairs = 0;  ///< Of these: something else had the CPU (acpu only).
};

/// Finds the smallest window and the smallest byte budget that keep the target share of the
/// throughput of the policy `none`. Every candidate is measured in pairs with `none`, in
/// alternating order, until there is a verdict (PairedRatio); a pair in which something else had
/// the CPU is measured again, at most kMostRepeats times in all. Byte budgets are
/// sought between the committed bytes of a wait per batch and those of `none`.
///
/// The config's own sync policy is replaced, and its limit switched off where no budget sets it. A
/// `program` that records itself on acpu is bounded through its environment (RUNAHEAD_LIMIT), by
/// bytes alone; its throughput is that of the loop it records.
class Tuner {
 public:
  static constexpr int kMostRepeats = 15;

  /// @param config  Of a `program`; else on acpu or cuda, of at least 2 batches. The references
  /// must outlive it.
  Tuner(const config::ExperimentConfig& config, CellRunner& runner, const TuneOptions& options);

  /// Blocks until both searches have ended. To be called once.
  /// @throws InterruptedError if the user asked to stop; UnavailableError if the device is not
  ///         there; Error if a run fails, or if a program records no loop on acpu. What was
  ///         measured until then is in `result`.
  void run();

  [[nodiscard]] const TuneResult& result() const { return result_; }

 private:
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

/// What a config is given for such a bound: {"sync": {…}}, of a `program` {"environment": {…}}.
/// @param value  Batches; bytes as a number or as a text such as "47MiB".
[[nodiscard]] Json settings_of(const config::ExperimentConfig& config, Bound bound,
                               const Json& value);

}  // namespace runahead::sweep
