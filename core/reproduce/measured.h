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

/// What runs measured on one device: their records by the run's name, one record per process. Not
/// thread-safe, although const: it notes which runs it was asked for.
class Measured {
 public:
  void add(const std::string& run, record::Record record);

  /// The figure at a JSON pointer into the record ("/results/dispatch/copy_seconds",
  /// "/memory/held_peak_bytes"): the {median, min, max, count} found in a single record, or the
  /// spread of the numbers over all records. nullopt if the run is missing, if one of its processes
  /// did not end ok, or if one did not measure it.
  [[nodiscard]] std::optional<Spread> figure(const std::string& run,
                                             const std::string& pointer) const;
  /// The numbers there, one per record, in the order of the processes; none if one lacks it.
  [[nodiscard]] std::vector<double> figures(const std::string& run,
                                            const std::string& pointer) const;
  /// The values there, one per record; none if one lacks it.
  [[nodiscard]] std::vector<Json> values(const std::string& run, const std::string& pointer) const;
  /// Whether the fact there held in every record.
  [[nodiscard]] std::optional<bool> fact(const std::string& run, const std::string& pointer) const;
  /// Any value, from the last record; null if there is none.
  [[nodiscard]] Json value(const std::string& run, const std::string& pointer) const;
  /// The runs asked for since the last call, found or not: those that a finding rests on.
  [[nodiscard]] std::set<std::string> take_asked() const { return std::exchange(asked_, {}); }
  /// Why a figure of that run is missing: "the run 'train' is failed: …".
  [[nodiscard]] std::string reason(const std::string& run) const;

 private:
  std::map<std::string, std::vector<record::Record>> runs_{};
  mutable std::set<std::string> asked_{};
};

}  // namespace runahead::reproduce
