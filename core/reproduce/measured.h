#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/spread.h"
#include "core/record/record.h"

namespace runahead::reproduce {

/// What the runs of a plan measured on one device: their records, by the run's name, a record a
/// process. Not for several threads, although const: it notes what it is asked for.
class Measured {
 public:
  void add(const std::string& run, record::Record record);

  /// The figure at a JSON pointer into the record ("/results/dispatch/copy_seconds",
  /// "/memory/held_peak_bytes"): of one record what stands there if it is {median, min, max,
  /// count}, else the spread of the numbers there over the records. nullopt if the run is missing,
  /// did not end ok everywhere or did not measure it.
  [[nodiscard]] std::optional<Spread> figure(const std::string& run,
                                             const std::string& pointer) const;
  /// The numbers there, a record each, in the order of the processes; none if one lacks it.
  [[nodiscard]] std::vector<double> figures(const std::string& run,
                                            const std::string& pointer) const;
  /// The same of a fact: whether it held in every record.
  [[nodiscard]] std::optional<bool> fact(const std::string& run, const std::string& pointer) const;
  /// Anything else, of the last record; null if there is none.
  [[nodiscard]] Json value(const std::string& run, const std::string& pointer) const;
  /// The runs asked for since the last call, there or not: those that a finding rests on.
  [[nodiscard]] std::set<std::string> take_asked() const { return std::exchange(asked_, {}); }
  /// Why a figure of that run is missing, for the user: "the run 'train' is failed: …".
  [[nodiscard]] std::string reason(const std::string& run) const;

 private:
  /// Of every record of the run; none if one lacks it.
  [[nodiscard]] std::vector<Json> values(const std::string& run, const std::string& pointer) const;

  std::map<std::string, std::vector<record::Record>> runs_{};
  mutable std::set<std::string> asked_{};
};

}  // namespace runahead::reproduce
