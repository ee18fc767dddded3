#include "core/train/batch_meter.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "core/train/cpu_back_end.h"
#include "support/fake_back_end.h"

namespace runahead::train {
namespace batch_meter_test {

using test::FakeBackEnd;

TEST(BatchMeter, CountsBatchesInFlightAndWhatTheyKeepWithTheirPeaks) {
  FakeBackEnd back_end;
  BatchMeter meter(back_end);
  const auto probe = meter.make_probe();
  const auto readings = [&probe] {
    std::array<memory::Reading, 4> read{};
    probe->read(read);
    return read;
  };
  const TimePoint first = Clock::now();
  const TimePoint second = first + std::chrono::seconds(1);

  meter.batch_issued({});
  EXPECT_EQ(readings().back(), std::nullopt) << "no batch keeps any";
  meter.batch_issued({.kept_bytes = 100});
  meter.batch_issued({.kept_bytes = 50});
  EXPECT_EQ(meter.counts().in_flight, 3);
  back_end.finish_until(1, first);
  back_end.finish_until(2, second);
  meter.batch_issued({.kept_bytes = 20});

  const BatchCounts counts = meter.counts();
  EXPECT_EQ(counts.issued, 4);
  EXPECT_EQ(counts.finished, 2);
  EXPECT_EQ(counts.in_flight, 2);
  EXPECT_EQ(counts.in_flight_peak, 3);
  EXPECT_EQ(counts.kept_bytes, 70U);
  EXPECT_EQ(counts.kept_bytes_peak, 150U);
  EXPECT_EQ(meter.times().finished, (std::vector<TimePoint>{first, second}));
  EXPECT_EQ(meter.times().issued.size(), 4);
  EXPECT_EQ(memory::names_of(probe->columns()),
            (std::vector<std::string>{"batches_in_flight", "batches_issued", "batches_finished",
                                      "kept_bytes"}));
  EXPECT_EQ(readings(), (std::array<memory::Reading, 4>{2, 4, 2, 70}));
}

TEST(BatchMeter, WhatHasFinishedWhenItIsIssuedWasNeverInFlight) {
  CpuBackEnd back_end;
  BatchMeter meter(back_end);

  meter.batch_issued({.kept_bytes = 100});

  EXPECT_EQ(meter.counts().finished, 1);
  EXPECT_EQ(meter.counts().in_flight_peak, 0);
  EXPECT_EQ(meter.counts().kept_bytes_peak, 0U);
}

TEST(BatchMeter, MarksThatFinishLaterDoNotNeedTheMeter) {
  FakeBackEnd back_end;
  auto meter = std::make_unique<BatchMeter>(back_end);
  meter->batch_issued({});

  meter.reset();

  EXPECT_NO_THROW(back_end.finish_until(1));
}

}  // namespace batch_meter_test
}  // namespace runahead::train
