// The lines are those of Slurm 22.05; later versions have more keys between the same ones.

#include "core/slurm/job_detail.h"

#include <gtest/gtest.h>

namespace runahead::slurm {
namespace {

constexpr const char* kOverMemory =
    "JobId=15 ArrayJobId=12 ArrayTaskId=3 JobName=runahead-0123456789ab UserId=root(0) "
    "GroupId=root(0) MCS_label=N/A Priority=4294901758 Nice=0 Account=(null) QOS=(null) "
    "JobState=FAILED Reason=JobLaunchFailure Dependency=(null) Requeue=1 Restarts=0 BatchFlag=1 "
    "Reboot=0 ExitCode=0:9 RunTime=00:00:03 TimeLimit=00:01:00 TimeMin=N/A "
    "SubmitTime=2026-11-22T08:00:00 EligibleTime=2026-11-22T08:00:00 Partition=all "
    "AllocNode:Sid=host:42 ReqNodeList=(null) ExcNodeList=(null) NodeList=node1 BatchHost=node1 "
    "NumNodes=1 NumCPUs=1 NumTasks=1 CPUs/Task=1 MinMemoryNode=264M Features=(null) "
    "Command=/runs/a sweep/slurm/0001/array.sh WorkDir=/runs JobState=lost Power=\n";

TEST(JobDetail, ReadsHowATaskEnded) {
  const JobDetail detail = parse_job_detail(kOverMemory).value();

  EXPECT_EQ(detail.state, JobState::kFailed);
  EXPECT_EQ(detail.reason, "JobLaunchFailure");
  EXPECT_EQ(detail.node, "node1");
  EXPECT_EQ(detail.time_limit, "00:01:00");
  EXPECT_EQ(detail.memory_limit, "264M");
  EXPECT_EQ(detail.exit_code, 0);
  EXPECT_EQ(detail.signal, 9);
}

TEST(JobDetail, ReadsAnExitCode) {
  const JobDetail detail =
      parse_job_detail("JobId=9 JobState=FAILED Reason=NonZeroExitCode ExitCode=3:0\n").value();

  EXPECT_EQ(detail.exit_code, 3);
  EXPECT_EQ(detail.signal, 0);
  EXPECT_EQ(detail.node, "");
}

TEST(JobDetail, ReadsATaskThatWaits) {
  const JobDetail detail = parse_job_detail(
                               "JobId=12 ArrayJobId=12 ArrayTaskId=4-19%2 JobState=PENDING "
                               "Reason=JobArrayTaskLimit Dependency=(null)\n")
                               .value();

  EXPECT_EQ(detail.state, JobState::kPending);
}

TEST(JobDetail, TakesNothingElseForAJob) {
  EXPECT_FALSE(parse_job_detail("").has_value());
  EXPECT_FALSE(parse_job_detail("No jobs in the system\n").has_value());
  EXPECT_FALSE(parse_job_detail("TheJobState=FAILED\n").has_value());
}

}  // namespace
}  // namespace runahead::slurm
