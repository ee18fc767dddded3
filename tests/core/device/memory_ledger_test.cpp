#include "core/device/storage/memory_ledger.h"

#include <gtest/gtest.h>

namespace runahead::device {
namespace memory_ledger_test {

constexpr MemoryUse kEveryUse[] = {MemoryUse::kPromised, MemoryUse::kAllocated, MemoryUse::kFreed,
                                   MemoryUse::kHeld};

TEST(MemoryLedger, CountsEachByteOnceWhereverItMoves) {
  MemoryLedger ledger;
  const MemoryPiece size{.bytes = 512, .requested_bytes = 500};
  for (const MemoryUse from : kEveryUse) {
    for (const MemoryUse to : kEveryUse) {
      ledger.move(MemoryUse::kNone, from, size);
      ledger.move(from, to, size);

      EXPECT_EQ(ledger.promised.current() + ledger.allocated.bytes.current() +
                    ledger.freed.current() + ledger.held.current(),
                512U);
      EXPECT_EQ(ledger.occupied.current(), to == MemoryUse::kPromised ? 0U : 512U);
      ledger.move(to, MemoryUse::kNone, size);
      EXPECT_EQ(ledger.occupied.current(), 0U);
      EXPECT_EQ(ledger.live.bytes.current(), 0U);
      EXPECT_EQ(ledger.live.count.current(), 0U);
      EXPECT_EQ(ledger.requested.current(), 0U);
    }
  }
}

TEST(MemoryLedger, WithoutForesightAllThatIsClaimedIsCommitted) {
  MemoryLedger ledger;
  ledger.restart(false);
  static_cast<void>(ledger.reserve(2, 1));
  for (std::uint64_t sequence : {1U, 2U}) {
    ledger.commit(sequence, 100);
    ledger.foresee_free(100, sequence);
  }

  EXPECT_EQ(ledger.committed_bytes(2), 200U);
  EXPECT_FALSE(ledger.is_within(200, {.bytes = 1}, 2));
  ledger.free(100);
  EXPECT_EQ(ledger.committed_bytes(2), 100U);
  EXPECT_TRUE(ledger.is_within(200, {.bytes = 100}, 2));
  EXPECT_EQ(ledger.backlog_bytes(2), 100U);
  EXPECT_TRUE(ledger.is_backlog_above(99, 2));
  EXPECT_FALSE(ledger.is_backlog_above(100, 2));
}

TEST(MemoryLedger, ReservedPeakIsTheMostOfLiveAndIdleTogether) {
  MemoryLedger ledger;
  ledger.move(MemoryUse::kNone, MemoryUse::kAllocated, {.bytes = 1024, .requested_bytes = 1024});
  ledger.move(MemoryUse::kAllocated, MemoryUse::kNone, {.bytes = 1024, .requested_bytes = 1024});
  EXPECT_EQ(ledger.reserved_peak_bytes(), 1024U);
  ledger.idle.add(1024);

  ledger.move(MemoryUse::kNone, MemoryUse::kAllocated, {.bytes = 512, .requested_bytes = 512});
  EXPECT_EQ(ledger.reserved_peak_bytes(), 1536U);
  EXPECT_EQ(ledger.segments_peak(), 2U);

  ledger.idle.subtract(1024);
  ledger.reset_peaks();
  EXPECT_EQ(ledger.reserved_peak_bytes(), 512U);
  EXPECT_EQ(ledger.segments_peak(), 1U);
}

}  // namespace memory_ledger_test
}  // namespace runahead::device
