#include "core/slurm/job_state.h"

#include <gtest/gtest.h>

namespace runahead::slurm {
namespace {

TEST(JobState, KnowsTheNamesThatSlurmPrints) {
  EXPECT_EQ(job_state_of("PENDING"), JobState::kPending);
  EXPECT_EQ(job_state_of("REQUEUE_HOLD"), JobState::kPending);
  EXPECT_EQ(job_state_of("RUNNING"), JobState::kRunning);
  EXPECT_EQ(job_state_of("COMPLETING"), JobState::kCompleting);
  EXPECT_EQ(job_state_of("OUT_OF_MEMORY"), JobState::kOutOfMemory);
  EXPECT_EQ(job_state_of("DEADLINE"), JobState::kTimeout);
  EXPECT_EQ(job_state_of("BOOT_FAIL"), JobState::kNodeFail);
  EXPECT_EQ(job_state_of("CANCELLED by 1000"), JobState::kCancelled);
  EXPECT_EQ(job_state_of("CANCELLED+"), JobState::kCancelled);
}

TEST(JobState, TakesAnUnknownNameForNoEnd) {
  EXPECT_EQ(job_state_of("TELEPORTED"), JobState::kOther);
  EXPECT_EQ(job_state_of(""), JobState::kOther);
  EXPECT_FALSE(has_ended(JobState::kOther));
}

TEST(JobState, TellsWhatHasEnded) {
  for (const char* name : {"PENDING", "RUNNING", "COMPLETING", "SUSPENDED", "REQUEUED"}) {
    EXPECT_FALSE(has_ended(job_state_of(name))) << name;
  }
  for (const char* name :
       {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "OUT_OF_MEMORY", "NODE_FAIL", "PREEMPTED"}) {
    EXPECT_TRUE(has_ended(job_state_of(name))) << name;
  }
}

TEST(JobState, TellsWhatWasTakenAway) {
  EXPECT_TRUE(was_taken_away(JobState::kNodeFail));
  EXPECT_TRUE(was_taken_away(JobState::kPreempted));
  EXPECT_FALSE(was_taken_away(JobState::kCancelled));
  EXPECT_FALSE(was_taken_away(JobState::kTimeout));
}

}  // namespace
}  // namespace runahead::slurm
