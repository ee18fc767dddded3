#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/statistics.h"
#include "core/record/record.h"

namespace runahead::reproduce {

/// The records of the runs on one device, by run name, one record per process. Not thread-safe,
/// even through const methods: these note which runs they were asked for.
class Measured {
 public:
  void add(const std::string& run, record::Record record);
  /// Whether nothing was added.
  [[nodiscard]] bool is_empty() const { return runs_.empty(); }

  /// The figure at a JSON pointer into the record ("/results/dispatch/copy_seconds",
  /// "/memory/held_peak_bytes"): the {median, min, max, count} found in a single record, or the
  /// spread of the numbers over all records. nullopt if the run is missing, or if one of its
  /// processes did not end ok or did not measure the figure.
  [[nodiscard]] std::optional<Spread> figure(const std::string& run,
                                             const std::string& pointer) const;
  /// The numbers there, one per record, in the order of the processes; empty if a record lacks it.
  [[nodiscard]] std::vector<double> figures(const std::string& run,
                                            const std::string& pointer) const;
  /// The values there, one per record; empty if a record lacks it.
  [[nodiscard]] std::vector<Json> values(const std::string& run, const std::string& pointer) const;
  /// Whether the fact there held in every record; nullopt if it was not measured.
  [[nodiscard]] std::optional<bool> fact(const std::string& run, const std::string& pointer) const;
  /// The value of any type there, from the last record; null if there is none.
  [[nodiscard]] Json value(const std::string& run, const std::string& pointer) const;
  /// The runs asked for since the last call, found or not, on which a finding rests.
  [[nodiscard]] std::set<std::string> take_asked() const { return std::exchange(asked_, {}); }
  /// Why a figure of the run is missing: "the run 'train' is failed: …".
  [[nodiscard]] std::string reason(const std::string& run) const;

 private:
  std::map<std::string, std::vector<record::Record>> runs_{};
  mutable std::set<std::string> asked_{};
};

}  // namespace runahead::reproduce
