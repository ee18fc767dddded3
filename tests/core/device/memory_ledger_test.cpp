#include "core/device/memory_ledger.h"

#include <gtest/gtest.h>

namespace runahead::device {
namespace {

constexpr MemoryUse kEveryUse[] = {MemoryUse::kPromised, MemoryUse::kAllocated, MemoryUse::kFreed,
                                   MemoryUse::kHeld};

TEST(MemoryLedger, CountsEachByteOnceAndClaimsItAlways) {
  MemoryLedger ledger;
  for (const MemoryUse use : kEveryUse) {
    ledger.move(MemoryUse::kNone, use, {.bytes = 512, .requested_bytes = 500});

    EXPECT_EQ(ledger.claimed.current(), 512U);
    EXPECT_EQ(ledger.promised.current() + ledger.allocated.bytes.current() +
                  ledger.freed.current() + ledger.held.current(),
              512U);
    ledger.move(use, MemoryUse::kNone, {.bytes = 512, .requested_bytes = 500});
    EXPECT_EQ(ledger.claimed.current(), 0U);
  }
}

TEST(MemoryLedger, EveryMoveLeavesNothingBehind) {
  MemoryLedger ledger;
  for (const MemoryUse from : kEveryUse) {
    for (const MemoryUse to : kEveryUse) {
      ledger.move(MemoryUse::kNone, from, {.bytes = 512, .requested_bytes = 500});
      ledger.move(from, to, {.bytes = 512, .requested_bytes = 500});
      ledger.move(to, MemoryUse::kNone, {.bytes = 512, .requested_bytes = 500});

      EXPECT_EQ(ledger.claimed.current(), 0U);
      EXPECT_EQ(ledger.live.bytes.current(), 0U);
      EXPECT_EQ(ledger.live.count.current(), 0U);
      EXPECT_EQ(ledger.requested.current(), 0U);
    }
  }
}

TEST(MemoryLedger, LiveIsWhatTensorsAndTheQueueUse) {
  MemoryLedger ledger;
  ledger.move(MemoryUse::kNone, MemoryUse::kAllocated, {.bytes = 512, .requested_bytes = 500});
  ledger.move(MemoryUse::kNone, MemoryUse::kAllocated, {.bytes = 1024, .requested_bytes = 1024});

  ledger.move(MemoryUse::kAllocated, MemoryUse::kFreed, {.bytes = 512, .requested_bytes = 500});

  EXPECT_EQ(ledger.live.bytes.current(), 1536U);
  EXPECT_EQ(ledger.allocated.bytes.current(), 1024U);
  EXPECT_EQ(ledger.requested.current(), 1024U);
  EXPECT_EQ(ledger.freed.current(), 512U);
  EXPECT_EQ(ledger.live.bytes.peak(), 1536U);
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

}  // namespace
}  // namespace runahead::device
