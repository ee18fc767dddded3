#include "core/train/batch_meter.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "core/train/cpu_back_end.h"
#include "support/fake_back_end.h"

namespace runahead::train {
namespace {

using test::FakeBackEnd;

TEST(BatchMeter, CountsABatchInFlightFromTheEndOfItsIssueUntilItsLastOperationFinished) {
  FakeBackEnd back_end;
  BatchMeter meter(back_end);

  meter.batch_issued({});
  meter.batch_issued({});
  EXPECT_EQ(meter.counts().in_flight, 2);
  back_end.finish_until(1);
  EXPECT_EQ(meter.counts().in_flight, 1);
  EXPECT_EQ(meter.counts().finished, 1);
  EXPECT_EQ(meter.counts().issued, 2);
}

TEST(BatchMeter, KeepsThePeakOfEveryChange) {
  FakeBackEnd back_end;
  BatchMeter meter(back_end);

  for (int i = 0; i < 3; ++i) meter.batch_issued({});
  back_end.finish_until(3);
  meter.batch_issued({});

  EXPECT_EQ(meter.counts().in_flight, 1);
  EXPECT_EQ(meter.counts().in_flight_peak, 3);
}

TEST(BatchMeter, CountsWhatBatchesInFlightKeepAndItsPeak) {
  FakeBackEnd back_end;
  BatchMeter meter(back_end);

  meter.batch_issued({.kept_bytes = 100});
  meter.batch_issued({.kept_bytes = 50});
  back_end.finish_until(1);
  meter.batch_issued({.kept_bytes = 20});

  EXPECT_EQ(meter.counts().kept_bytes, 70U);
  EXPECT_EQ(meter.counts().kept_bytes_peak, 150U);
}

TEST(BatchMeter, WhatHasFinishedWhenItIsIssuedNeverKeptAnything) {
  CpuBackEnd back_end;
  BatchMeter meter(back_end);

  meter.batch_issued({.kept_bytes = 100});

  EXPECT_EQ(meter.counts().kept_bytes_peak, 0U);
}

TEST(BatchMeter, NothingIsEverInFlightOnADeviceThatExecutesAtIssue) {
  CpuBackEnd back_end;
  BatchMeter meter(back_end);

  meter.batch_issued({});

  EXPECT_EQ(meter.counts().in_flight_peak, 0);
  EXPECT_EQ(meter.counts().finished, 1);
}

TEST(BatchMeter, TellsWhenBatchesFinished) {
  FakeBackEnd back_end;
  BatchMeter meter(back_end);
  const TimePoint first = Clock::now();
  const TimePoint second = first + std::chrono::seconds(1);

  meter.batch_issued({});
  meter.batch_issued({});
  back_end.finish_until(1, first);
  back_end.finish_until(2, second);

  EXPECT_EQ(meter.times().finished, (std::vector<TimePoint>{first, second}));
  EXPECT_EQ(meter.times().issued.size(), 2);
}

TEST(BatchMeter, MarksThatFinishLaterDoNotNeedTheMeter) {
  FakeBackEnd back_end;
  auto meter = std::make_unique<BatchMeter>(back_end);
  meter->batch_issued({});

  meter.reset();

  EXPECT_NO_THROW(back_end.finish_until(1));
}

TEST(BatchMeter, ItsProbeReadsTheCounts) {
  FakeBackEnd back_end;
  BatchMeter meter(back_end);
  const auto probe = meter.make_probe();
  meter.batch_issued({.kept_bytes = 20});
  meter.batch_issued({.kept_bytes = 30});
  back_end.finish_until(1);

  std::array<memory::Reading, 4> readings{};
  probe->read(readings);

  EXPECT_EQ(memory::names_of(probe->columns()),
            (std::vector<std::string>{"batches_in_flight", "batches_issued", "batches_finished",
                                      "kept_bytes"}));
  EXPECT_EQ(readings, (std::array<memory::Reading, 4>{1, 2, 1, 30}));
}

TEST(BatchMeter, ItsProbeTellsOfNoBytesWhereNoBatchKeepsAny) {
  FakeBackEnd back_end;
  BatchMeter meter(back_end);
  meter.batch_issued({});

  std::array<memory::Reading, 4> readings{};
  meter.make_probe()->read(readings);

  EXPECT_EQ(readings.back(), std::nullopt);
}

}  // namespace
}  // namespace runahead::train
