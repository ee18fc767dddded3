#include "core/train/acpu_hold.h"

#include "core/base/error.h"
#include "core/device/device_fixture.h"
#include "core/train/acpu_back_end.h"

namespace runahead::train {
namespace {

using device::DeviceTest;
using device::WorkerGate;

class AcpuHoldTest : public DeviceTest {};

TEST_F(AcpuHoldTest, IsInFlightUntilItHasPassed) {
  AcpuBackEnd back_end;
  AcpuHold hold;
  WorkerGate gate;
  hold.hold(0.001);
  const auto mark = back_end.mark({});

  EXPECT_FALSE(mark->is_finished()) << "behind the gate, which is closed";
  gate.open();
  mark->wait();

  EXPECT_TRUE(mark->is_finished());
}

TEST_F(AcpuHoldTest, RefusesNoTime) { EXPECT_THROW(AcpuHold().hold(0.0), UsageError); }

}  // namespace
}  // namespace runahead::train
