#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/spread.h"

namespace runahead::apps {

/// What one measurement of one case gave.
struct Measurement {
  std::map<std::string, double> figures{};  ///< By their keys.
  bool had_the_cpu = true;                  ///< False: something else had the CPU meanwhile.
};

/// One of the things that a benchmark compares.
struct BenchCase {
  /// Measures it once. nullopt: it failed, and is not measured again.
  /// @throws InterruptedError if the user asked to stop.
  std::function<std::optional<Measurement>()> measure{};
};

struct BenchOptions {
  std::int64_t repeats = 7;                          ///< Rounds that count, at least 1.
  std::function<void(const std::string&)> report{};  ///< Progress, a line at a time; may be empty.
  std::string only{};  ///< `limits`: what is in the names of the cells to measure; empty: all.
  std::int64_t cells = 1000;  ///< `sweep`: cells of the sweeps that are timed.
};

/// Cases measured side by side: a round measures each once, so that what drifts on the machine
/// meets all of them, and ratios are taken within rounds. Every second round goes backwards, so
/// that no case always comes later than another. A round in which something else had the CPU is
/// repeated, at most `repeats` times in all.
class BenchRounds {
 public:
  /// @param name  Of the whole, for progress lines. `options` must outlive it.
  BenchRounds(std::string name, std::vector<BenchCase> cases, const BenchOptions& options);

  /// Blocks until every round is done. @throws what a case throws. To be called once.
  void run();

  /// A figure over the rounds; nullopt if the case failed or never had it.
  [[nodiscard]] std::optional<Spread> figure(std::size_t index, const std::string& key) const;

  /// The ratio of a figure of one case to a figure of another (or of the same case), one for each
  /// round that has both figures and where the latter is not 0.
  [[nodiscard]] std::vector<double> ratios(std::size_t index, const std::string& key,
                                           std::size_t base_index,
                                           const std::string& base_key) const;
  /// The spread of these ratios over the rounds; nullopt if no round has both figures.
  [[nodiscard]] std::optional<Spread> ratio(std::size_t index, const std::string& key,
                                            std::size_t base_index,
                                            const std::string& base_key) const;

 private:
  using Round = std::vector<std::optional<Measurement>>;  ///< By case; nullopt: it failed.

  [[nodiscard]] Round run_round();
  void report(const std::string& text) const;

  std::string name_;
  std::vector<BenchCase> cases_;
  const BenchOptions& options_;
  std::vector<Round> rounds_{};
  std::vector<bool> failed_{};  ///< By case.
};

}  // namespace runahead::apps
