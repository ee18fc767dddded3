#include "core/engine/finish_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace runahead::engine::test {
namespace {

TEST(FinishWindow, MovesOnOverWhatHasFinished) {
  FinishWindow window;
  window.finish(2);
  window.finish(3);
  EXPECT_EQ(window.oldest(), 1U);
  EXPECT_TRUE(window.is_finished(3));
  EXPECT_FALSE(window.is_finished(1));
  EXPECT_EQ(window.oldest_after(1), 4U);

  window.finish(1);

  EXPECT_EQ(window.oldest(), 4U);
  EXPECT_TRUE(window.is_finished(1));
  EXPECT_FALSE(window.is_finished(4));
}

TEST(FinishWindow, NumbersFarAheadHaveNotFinished) {
  FinishWindow window;
  window.finish(1);

  EXPECT_FALSE(window.is_finished(1 + window.capacity()));
  EXPECT_FALSE(window.is_finished(10 * window.capacity()));
}

TEST(FinishWindow, GrowsWithoutForgetting) {
  FinishWindow window;
  const std::uint64_t before = window.capacity();
  for (std::uint64_t sequence = 2; sequence <= before; sequence += 2) window.finish(sequence);
  window.reserve(5 * before);
  for (std::uint64_t sequence = before + 1; sequence <= 5 * before; ++sequence) {
    window.finish(sequence);
  }

  EXPECT_GE(window.capacity(), 5 * before);
  for (std::uint64_t sequence = 1; sequence <= 5 * before; ++sequence) {
    ASSERT_EQ(window.is_finished(sequence), sequence % 2 == 0 || sequence > before);
  }
}

TEST(FinishWindow, EndsUpBehindAllInAnyOrder) {
  constexpr std::uint64_t kCount = 5000;
  FinishWindow window;
  window.reserve(kCount);
  std::vector<std::uint64_t> sequences(kCount);
  std::iota(sequences.begin(), sequences.end(), 1U);
  std::shuffle(sequences.begin(), sequences.end(), std::mt19937_64(1));
  for (const std::uint64_t sequence : sequences) {
    ASSERT_FALSE(window.is_finished(sequence));
    const std::uint64_t oldest_after = window.oldest_after(sequence);
    window.finish(sequence);
    ASSERT_EQ(window.oldest(), oldest_after);
  }

  EXPECT_EQ(window.oldest(), kCount + 1);
}

}  // namespace
}  // namespace runahead::engine::test
