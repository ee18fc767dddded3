#include "core/trace/recording.h"

#include <gtest/gtest.h>

namespace runahead::trace {
namespace {

constexpr TraceBounds kFew{.operations = 8, .batches = 4, .waits = 4};

TEST(Recording, SharesItsRoomBetweenTheWorkers) {
  Recording recording(2, kFew);
  for (std::uint64_t i = 1; i <= 10; ++i) {
    recording.executions[0].push({.sequence = i});
    recording.executions[1].push({.sequence = 10 + i});
  }
  EXPECT_EQ(recording.operations_recorded(), 8U);
  EXPECT_EQ(recording.operations_left_out(), 12U);
}

TEST(Recording, TakesTheSameMemoryEmptyAndFull) {
  Recording recording(1, kFew);
  const std::size_t bytes = recording.memory_bytes();
  EXPECT_GE(bytes, 8 * sizeof(Execution));
  for (std::uint64_t i = 1; i <= 100; ++i) recording.executions[0].push({.sequence = i});
  EXPECT_EQ(recording.memory_bytes(), bytes);
}

TEST(Recording, SumsUpWhatIsThereAndWhatIsNot) {
  Recording recording(1, kFew);
  for (std::uint64_t i = 1; i <= 6; ++i) recording.batches.push({.number = i});
  for (std::uint64_t i = 1; i <= 9; ++i) recording.executions[0].push({.sequence = i});
  const Json summary = summary_of(recording);
  EXPECT_EQ(summary["batches_recorded"], 4);
  EXPECT_EQ(summary["batches_left_out"], 2);
  EXPECT_EQ(summary["operations_recorded"], 8);
  EXPECT_EQ(summary["operations_left_out"], 1);
  EXPECT_EQ(summary["waits_recorded"], 0);
  EXPECT_EQ(summary["recorder_bytes"], recording.memory_bytes());
}

}  // namespace
}  // namespace runahead::trace
