#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/statistics.h"
#include "core/sweep/single_run.h"

namespace runahead::apps {

/// The result of one measurement of one case.
struct Measurement {
  std::map<std::string, double> figures{};  ///< By key.
  /// False if something else used the CPU meanwhile: one busy thread had less of it than
  /// sweep::kLeastCpuShare.
  bool had_the_cpu = true;
};

/// Measures one of the things that a benchmark compares, once. nullopt if it failed; it is then not
/// measured again.
/// @throws InterruptedError if the user asked to stop.
using BenchCase = std::function<std::optional<Measurement>()>;

struct BenchOptions {
  std::int64_t repeats = 7;                          ///< Number of rounds that count, at least 1.
  std::function<void(const std::string&)> report{};  ///< Receives progress lines; may be empty.
  std::function<void()> on_disturbed{};  ///< After each round that counts though it shared the CPU.
  std::string only{};         ///< `limits`: measures cells whose name contains this; all if empty.
  std::int64_t cells = 1000;  ///< `sweep`: number of cells of the timed sweeps.
};

/// Measures cases side by side. A round measures each case once, so that a drift of the machine
/// affects all of them, and ratios are taken within rounds. Every second round runs in reverse
/// order, so that no case always comes after another. A round in which something else used the CPU
/// is repeated, at most `repeats` times in total; later ones count.
class BenchRounds {
 public:
  /// @param name     Name of the benchmark, for progress lines.
  /// @param options  Must outlive this object.
  BenchRounds(std::string name, std::vector<BenchCase> cases, const BenchOptions& options);

  /// Blocks until every round is done. Call it once. @throws what a case throws.
  void run();

  /// The spread of a figure over the rounds; nullopt if the case failed or never had the figure.
  [[nodiscard]] std::optional<Spread> figure(std::size_t index, const std::string& key) const;

  /// The ratios of a figure of one case to a figure of another (or of the same case), one for each
  /// round that has both figures and a nonzero base.
  [[nodiscard]] std::vector<double> ratios(std::size_t index, const std::string& key,
                                           std::size_t base_index,
                                           const std::string& base_key) const;
  /// The spread of these ratios over the rounds; nullopt if no round has both figures.
  [[nodiscard]] std::optional<Spread> ratio(std::size_t index, const std::string& key,
                                            std::size_t base_index,
                                            const std::string& base_key) const;

 private:
  using Round = std::vector<std::optional<Measurement>>;  ///< By case; nullopt if it failed.

  [[nodiscard]] Round run_round();
  void report(const std::string& text) const;

  std::string name_;
  std::vector<BenchCase> cases_;
  const BenchOptions& options_;
  std::vector<Round> rounds_{};
  std::vector<bool> failed_{};  ///< By case.
};

}  // namespace runahead::apps
