#include "core/device/storage/peak_counter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace runahead::device {
namespace {

TEST(PeakCounter, TellsTheCountThePeakAndTheTotals) {
  PeakCounter counter;
  counter.add(5);
  counter.subtract(4);
  counter.add(2);

  EXPECT_EQ(counter.current(), 3U);
  EXPECT_EQ(counter.peak(), 5U);
  EXPECT_EQ(counter.added(), 7U);
  EXPECT_EQ(counter.subtracted(), 4U);
  counter.reset_peak();
  EXPECT_EQ(counter.peak(), 3U);
}

TEST(PeakCounter, TellsWhetherItIsAboveAnAmountWhateverCameBefore) {
  std::mt19937 random(1);
  PeakCounter counter;
  std::uint64_t count = 0;
  std::uint64_t peak = 0;
  for (int step = 0; step < 10'000; ++step) {
    const std::uint64_t amount = random() % 100;
    if (random() % 2 == 0) {
      counter.add(amount);
      count += amount;
    } else {
      counter.subtract(std::min(amount, count));
      count -= std::min(amount, count);
    }
    peak = std::max(peak, count);
    const std::uint64_t limit = random() % 500;
    ASSERT_EQ(counter.is_above(limit), count > limit);
    ASSERT_EQ(counter.peak(), peak);
  }
}

}  // namespace
}  // namespace runahead::device
