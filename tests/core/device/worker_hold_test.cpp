// Workers that are held: for how long, and what waits for it.
#include "core/device/worker_hold.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/device/device_fixture.h"

namespace runahead::device {
namespace {

class WorkerHold : public DeviceTest {};

TEST_F(WorkerHold, LastsThatLongForWhatIsIssuedAfterwards) {
  constexpr double kSeconds = 0.0625;
  for (const int workers : {1, 3}) {
    SCOPED_TRACE(workers);
    configure({.workers = workers});
    const torch::Tensor x = torch::ones({2}, acpu_);
    synchronize();

    const TimePoint begun = Clock::now();
    hold_workers(kSeconds);
    wait_for(x + 1);

    EXPECT_GE(seconds_between(begun, Clock::now()), kSeconds);
  }
}

TEST_F(WorkerHold, NeedsATimeAndAWorker) {
  EXPECT_THROW(hold_workers(0.0), UsageError);
  configure({.workers = 0});
  EXPECT_THROW(hold_workers(1.0), UsageError);
}

}  // namespace
}  // namespace runahead::device
