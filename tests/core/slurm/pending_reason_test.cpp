#include "core/slurm/pending_reason.h"

#include <gtest/gtest.h>

namespace runahead::slurm {
namespace {

TEST(LastingReason, IsNoneThatPassesWhenOthersEndOrWithTime) {
  for (const char* reason :
       {"", "None", "Resources", "Priority", "Dependency", "BeginTime", "Licenses", "Cleaning",
        "JobArrayTaskLimit", "AssocGrpMemLimit", "AssocMaxJobsLimit", "QOSGrpCpuLimit",
        "QOSMaxCpuPerUserLimit", "QOSMaxJobsPerUserLimit", "SomethingNew"}) {
    EXPECT_FALSE(lasting_reason(reason).has_value()) << reason;
  }
}

TEST(LastingReason, IsWhatNeedsAnotherRequestOrAnotherCluster) {
  for (const char* reason :
       {"PartitionConfig", "BadConstraints", "DependencyNeverSatisfied", "QOSMaxCpuPerJobLimit",
        "QOSMaxMemoryPerNode", "QOSMinCpuNotSatisfied", "AssocMaxWallDurationPerJobLimit",
        "PartitionDown", "NodeDown", "ReservationDeleted"}) {
    const auto lasting = lasting_reason(reason);
    ASSERT_TRUE(lasting.has_value()) << reason;
    EXPECT_EQ(lasting->name, reason);
    EXPECT_EQ(lasting->remedy, Remedy::kChange) << reason;
  }
  EXPECT_TRUE(lasting_reason("Nodes required for job are DOWN, DRAINED or reserved").has_value());
}

TEST(LastingReason, IsNamedWithoutItsDetails) {
  const auto lasting = lasting_reason("ReqNodeNotAvail, UnavailableNodes:node[1-3]");

  ASSERT_TRUE(lasting.has_value());
  EXPECT_EQ(lasting->name, "ReqNodeNotAvail");
}

TEST(LastingReason, TellsWhatIsHeld) {
  for (const char* reason :
       {"JobHeldUser", "JobHeldAdmin", "JobHoldMaxRequeue", "launch failed requeued held"}) {
    const auto lasting = lasting_reason(reason);
    ASSERT_TRUE(lasting.has_value()) << reason;
    EXPECT_EQ(lasting->remedy, Remedy::kRelease) << reason;
  }
}

}  // namespace
}  // namespace runahead::slurm
