#pragma once

#include "core/base/json.h"
#include "core/config/sweep_config.h"
#include "core/record/record.h"
#include "core/sweep/plan.h"

namespace runahead::sweep::test {

/// Seeds 0 … `cells` - 1, each `repeats` times.
inline config::SweepConfig sweep_of_seeds(int cells, int repeats) {
  Json seeds = Json::array();
  for (int seed = 0; seed < cells; ++seed) seeds.push_back(seed);
  return config::read_sweep({{"base", {{"experiment", "train"}, {"batches", 3}}},
                             {"axes", {{"/seed", seeds}}},
                             {"repeats", repeats}},
                            "test", ".");
}

inline Plan plan_of_seeds(int cells, int repeats) {
  return make_plan(sweep_of_seeds(cells, repeats), "test");
}

/// A record of a run that ended with `status`.
inline record::Record record_of(const Cell& cell, std::int64_t repeat, record::Status status) {
  record::Record record = record::make_record(cell.config, repeat, cell.axes);
  record.status = status;
  record.time.total_seconds = 2.0;
  record.cell.wall_seconds = 2.5;
  return record;
}

}  // namespace runahead::sweep::test
