// What holds no workers. How long they are held is in
// tests/core/experiment/launch_queue_run_test.cpp.
#include "core/device/worker_hold.h"

#include "core/base/error.h"
#include "core/device/device_fixture.h"

namespace runahead::device {
namespace worker_hold_test {

class WorkerHold : public DeviceTest {};

TEST_F(WorkerHold, NeedsATimeAndAWorker) {
  EXPECT_THROW(hold_workers(0.0), UsageError);
  configure({.workers = 0});
  EXPECT_THROW(hold_workers(1.0), UsageError);
}

}  // namespace worker_hold_test
}  // namespace runahead::device
