#include "data/epoch_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace runahead::data {
namespace {

std::vector<std::int64_t> epoch_of(EpochOrder& order, std::int64_t epoch) {
  std::vector<std::int64_t> examples;
  for (std::int64_t i = 0; i < order.batches_in_epoch(); ++i) {
    const auto batch = order.batch(epoch * order.batches_in_epoch() + i);
    examples.insert(examples.end(), batch.begin(), batch.end());
  }
  return examples;
}

std::vector<std::int64_t> all_of(std::int64_t examples) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(examples));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return all;
}

TEST(EpochOrder, HasEachExampleOnceInAnEpoch) {
  EpochOrder order({.examples = 100, .batch_size = 7, .keeps_last_batch = true, .seed = 3});

  for (const std::int64_t epoch : {0, 1, 5}) {
    std::vector<std::int64_t> examples = epoch_of(order, epoch);
    EXPECT_NE(examples, all_of(100));
    std::sort(examples.begin(), examples.end());
    EXPECT_EQ(examples, all_of(100)) << epoch;
  }
}

TEST(EpochOrder, DropsOrKeepsTheLastBatch) {
  EpochOrder dropping({.examples = 10, .batch_size = 4});
  EXPECT_EQ(dropping.batches_in_epoch(), 2);
  EXPECT_EQ(epoch_of(dropping, 0).size(), 8U);

  EpochOrder keeping({.examples = 10, .batch_size = 4, .keeps_last_batch = true});
  EXPECT_EQ(keeping.batches_in_epoch(), 3);
  EXPECT_EQ(keeping.batch(2).size(), 2U);
  EXPECT_EQ(keeping.batch(5).size(), 2U);
}

TEST(EpochOrder, DiffersByEpochAndSeedAlone) {
  const EpochOrder::Options options{.examples = 50, .batch_size = 50, .seed = 1};
  EpochOrder one(options);
  EpochOrder same(options);
  EpochOrder other({.examples = 50, .batch_size = 50, .seed = 2});

  const std::vector<std::int64_t> second_epoch = one.batch(1);
  EXPECT_NE(one.batch(0), second_epoch);
  EXPECT_EQ(same.batch(1), second_epoch) << "whatever was asked for before";
  EXPECT_NE(other.batch(0), one.batch(0));
  EXPECT_NE(other.batch(0), second_epoch) << "the next seed is not the next epoch";
  EpochOrder files({.examples = 6, .batch_size = 3, .shuffles = false});
  EXPECT_EQ(files.batch(0), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(files.batch(3), (std::vector<std::int64_t>{3, 4, 5}))
      << "that of the files, unless it shuffles";
}

}  // namespace
}  // namespace runahead::data
