#include "apps/runahead/bench_transfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "support/error_message.h"
#include "support/golden.h"

namespace runahead::apps {
namespace {

using ::testing::HasSubstr;

Json figures_of(double gb_per_second, double issue_us) {
  return {{"gb_per_second", gb_per_second}, {"issue_us", issue_us}};
}

/// A process in which pinned memory is four times as fast, and a call that does not wait for it
/// takes a tenth of one that does.
Json fake_process(double cpu_share = 1.0) {
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

TEST(BenchTransfer, HasTheFiguresOfEachSizeAndWay) {
  const Json figures = bench_transfer([] { return fake_process(); }, {.repeats = 2});

  ASSERT_EQ(figures["sizes"].size(), 2U);
  const Json& least = figures["sizes"][0];
  EXPECT_EQ(least["bytes"], 4096);
  EXPECT_EQ(least["copies"], 4);
  EXPECT_EQ(least["pageable_blocking"]["gb_per_second"], 5.0);
  EXPECT_EQ(least["pageable_non_blocking"]["issue_us"], 70.0);
  EXPECT_EQ(least["pinned_blocking"]["issue_us_min"], 20.0);
  EXPECT_EQ(least["pinned_non_blocking"]["gb_per_second_max"], 24.0);
  EXPECT_EQ(figures["sizes"][1]["bytes"], 268435456);
  EXPECT_EQ(least["pinned_over_pageable"], 4.0);
  EXPECT_EQ(least["issue_over_blocking"], 0.1);
}

TEST(BenchTransfer, RepeatsARoundInWhichTheProcessSharedTheCpu) {
  int processes = 0;
  const auto measure = [&processes] { return fake_process(++processes == 1 ? 0.5 : 1.0); };
  static_cast<void>(bench_transfer(measure, {.repeats = 1}));

  EXPECT_EQ(processes, 2);
}

TEST(BenchTransfer, ShowsEverySizeInItsTables) {
  const std::string table =
      transfer_bench_table(bench_transfer([] { return fake_process(); }, {.repeats = 1}));

  test::expect_golden(RUNAHEAD_GOLDEN_FOLDER "/bench_transfer.txt", table);
}

TEST(BenchTransfer, IsForACudaDeviceThatIsThere) {
  const Json there = {{"device", "cuda"}, {"available", true}, {"what", "queues"}, {"count", 1}};
  const Json host = {{"device", "cpu"}, {"available", true}, {"what", "executes at issue"}};
  EXPECT_EQ(find_transfer_device(Json::array({host, there})), there);

  const Json missing = {{"device", "cuda"}, {"available", false}, {"what", "no driver"}};
  EXPECT_THAT(test::error_message<UnavailableError>([&] {
                static_cast<void>(find_transfer_device(Json::array({host, missing})));
              }),
              HasSubstr("there is none: no driver"));
  EXPECT_THROW(static_cast<void>(find_transfer_device(Json::array({host}))), UnavailableError);
}

}  // namespace
}  // namespace runahead::apps
