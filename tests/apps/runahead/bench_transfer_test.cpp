#include "apps/runahead/benchmarks.h"

#include <gtest/gtest.h>

#include "bench_golden.h"

namespace runahead::apps {
namespace {

Json figures_of(double gb_per_second, double issue_us) {
  return {{"gb_per_second", gb_per_second}, {"issue_us", issue_us}};
}

/// A process in which pinned memory is four times as fast, and a call that does not wait for it
/// takes a tenth of one that does.
Json fake_process(double cpu_share) {
  Json sizes = Json::array();
  for (const std::int64_t bytes : {std::int64_t{4096}, std::int64_t{256} << 20}) {
    sizes.push_back({{"bytes", bytes},
                     {"copies", 4},
                     {"pageable_blocking", figures_of(5.0, 80.0)},
                     {"pageable_non_blocking", figures_of(6.0, 70.0)},
                     {"pinned_blocking", figures_of(20.0, 20.0)},
                     {"pinned_non_blocking", figures_of(24.0, 2.0)}});
  }
  return {{"cpu_share", cpu_share}, {"sizes", sizes}};
}

TEST(BenchTransfer, HasTheFiguresOfEachSizeAndWayOfRoundsThatDidNotShareTheCpu) {
  int processes = 0;
  const auto measure = [&processes] { return fake_process(++processes == 1 ? 0.5 : 1.0); };
  const Json figures = bench_transfer(measure, {.repeats = 2});

  EXPECT_EQ(processes, 3);
  expect_bench_golden("bench_transfer", figures, transfer_bench_table(figures));
}

}  // namespace
}  // namespace runahead::apps
