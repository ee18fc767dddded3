#include "core/config/sweep_fields.h"

namespace runahead::config {

void describe(SweepConfig& sweep, Fields& fields) {
  fields.integer({"repeats", "Runs of each cell."}, sweep.repeats, {1, 10'000});
  fields.choice({"order",
                 "Repeat 0 of every cell, then repeat 1, …; random: the cells of each repeat "
                 "shuffled."},
                sweep.order);
  fields.whole({"order_seed", "Seed of the random order."}, sweep.order_seed,
               {0, ~std::uint64_t{0}});
  fields.seconds({"timeout", "Wall time that a cell may take; null: no bound."},
                 sweep.timeout_seconds, {0.0, 365.0 * 86400.0, /*above_min=*/true});
  fields.bytes(
      {"memory_limit", "Memory that a cell may take; also bounds its guard; null: no bound."},
      sweep.memory_limit_bytes, {std::uint64_t{1} << 20, std::uint64_t{1} << 50});
  fields.integer({"jobs", "Number of cells that run at the same time."}, sweep.jobs, {1, 1024});
}

}  // namespace runahead::config
