#pragma once

#include <string>

#include "core/base/json.h"
#include "core/config/experiment_config.h"
#include "core/record/record.h"
#include "core/reproduce/measured.h"

namespace runahead::reproduce::test {

/// A record of a run that ended ok with these results.
inline record::Record record_with(const Json& results,
                                  const Json& config = {{"experiment", "train"}}) {
  record::Record record =
      record::make_record(config::read_experiment(config, "test"), 0, Json::object());
  record.results = results;
  return record;
}

/// A figure as a program that repeats itself records it.
inline Json spread(double median, double min, double max) {
  return {{"median", median}, {"min", min}, {"max", max}, {"count", 7}};
}

/// One run, of one process.
inline Measured measured_of(const std::string& run, const Json& results) {
  Measured measured;
  measured.add(run, record_with(results));
  return measured;
}

}  // namespace runahead::reproduce::test
