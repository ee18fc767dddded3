#include "core/device/run_ahead_guard.h"

#include <atomic>
#include <thread>

#include "core/device/device_fixture.h"
#include "core/memory/cgroup.h"

namespace runahead::device {
namespace run_ahead_guard_test {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::int64_t kElements = 1 << 16;
constexpr std::uint64_t kBytes = kElements * sizeof(float);

TEST(RunAheadGuard, IsAShareOfTheMemoryThatIsAvailable) {
  const memory::Reading available = memory::available_memory_bytes();
  if (!available) GTEST_SKIP() << "this machine does not report its available memory";

  const engine::RunAheadLimit limit = guard_limit();

  ASSERT_TRUE(limit.bytes && limit.notice_bytes && limit.operations);
  EXPECT_LT(*limit.bytes, *available);
  EXPECT_GT(*limit.bytes, *available / 4);
  EXPECT_EQ(*limit.notice_bytes, *limit.bytes / 2);
}

TEST(RunAheadGuard, IsAShareOfALesserMemoryLimit) {
  const engine::RunAheadLimit limit = guard_limit(64 * kMiB);

  EXPECT_EQ(limit.bytes, 32 * kMiB);
  EXPECT_EQ(limit.notice_bytes, 16 * kMiB);
  EXPECT_EQ(limit.operations, 32 * kMiB / kGuardBytesPerOperation);
}

TEST(RunAheadGuard, ItsNoticesSayWhereAndWhatHoldsTheMemory) {
  MemoryStats stats;
  stats.class_bytes[static_cast<std::size_t>(TensorClass::kInputs)] = 3 * 1000 * 1000;
  stats.promised_bytes = 1000 * 1000;
  const std::string backlog = limit_notice_text({.kind = engine::LimitNotice::Kind::kLargeBacklog,
                                                 .limit_bytes = 8 * 1000 * 1000,
                                                 .committed_bytes = 5 * 1000 * 1000,
                                                 .backlog_bytes = 4 * 1000 * 1000,
                                                 .operations = 17},
                                                stats, "in batch 7");
  EXPECT_NE(backlog.find("in batch 7"), std::string::npos) << backlog;
  EXPECT_NE(backlog.find("4.00 MB in 17 operations"), std::string::npos) << backlog;
  EXPECT_NE(backlog.find("waits once 8.00 MB are committed; most is held by "
                         "inputs (3.00 MB), results not computed yet (1.00 MB)."),
            std::string::npos)
      << backlog;
}

// What is being admitted is promised already, and holds no memory yet.
TEST(RunAheadGuard, TheNoticeOfAnExcessNamesWhatHoldsTheMemoryAndNotWhatIsAdmitted) {
  const auto text_of = [](std::uint64_t committed_bytes, std::uint64_t cost_bytes) {
    MemoryStats stats;
    stats.class_bytes[static_cast<std::size_t>(TensorClass::kOther)] = committed_bytes;
    stats.promised_bytes = cost_bytes;
    return limit_notice_text({.kind = engine::LimitNotice::Kind::kExceeded,
                              .limit_bytes = 8000,
                              .committed_bytes = committed_bytes,
                              .cost_bytes = cost_bytes},
                             stats, "");
  };
  EXPECT_EQ(text_of(7000, 2000),
            "acpu: a further 2.00 kB on top of 7.00 kB exceeds the run-ahead limit of 8.00 kB and "
            "was admitted all the same, because nothing is in flight that could free memory: the "
            "program's own tensors hold it; most is held by other tensors (7.00 kB). Drop tensors "
            "that are not needed, or raise the limit; until then the program does not run ahead");
  EXPECT_EQ(text_of(1000, 8000),
            "acpu: a further 8.00 kB on top of 1.00 kB exceeds the run-ahead limit of 8.00 kB and "
            "was admitted all the same, because nothing is in flight that could free memory; most "
            "is held by other tensors (1.00 kB). Drop tensors that are not needed, or raise the "
            "limit; until then the program does not run ahead");
}

/// The device with one worker, and the notices that it gives.
class LimitTest : public DeviceTest, public ::testing::WithParamInterface<Allocation> {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    configure_with({});
  }
  void configure_with(const engine::RunAheadLimit& limit) {
    configure({.allocation = GetParam(),
               .host_copies = host_copies_,
               .limit = limit,
               .on_limit_notice = [this](const auto& notice) { notices_.push_back(notice); }});
    before_ = memory_stats();
    reset_peaks();
  }
  [[nodiscard]] std::uint64_t live_bytes() const { return memory_stats().live_bytes; }
  /// A limit of so many tensors of kBytes on top of what there is.
  [[nodiscard]] engine::RunAheadLimit tensors(std::uint64_t count) const {
    return {.bytes = memory_stats().committed_bytes + count * kBytes};
  }
  [[nodiscard]] at::Tensor made() const { return torch::ones({kElements}, acpu_); }

  HostCopies host_copies_ = HostCopies::kSnapshot;
  MemoryStats before_{};
  std::vector<engine::LimitNotice> notices_{};
};

TEST_P(LimitTest, DataOfTheHostIsAdmittedBeforeItIsCopied) {
  for (const HostCopies way : {HostCopies::kSnapshot, HostCopies::kKeep}) {
    host_copies_ = way;
    configure_with({});
    set_limit(tensors(3));
    at::Tensor sum = torch::zeros({kElements}, acpu_);
    const at::Tensor host = torch::ones({kElements});
    for (int i = 0; i < 100; ++i) sum.add_(host.to(acpu_, torch::kFloat, /*non_blocking=*/true));

    EXPECT_LE(memory_stats().occupied_peak_bytes, *options().limit->bytes);
    for (int i = 0; i < 100; ++i) sum.copy_(host, /*non_blocking=*/i % 2 == 0);
    EXPECT_LE(memory_stats().occupied_peak_bytes, *options().limit->bytes);
    EXPECT_TRUE(torch::equal(sum.cpu(), host));
  }
}

TEST_P(LimitTest, AProgramThatHoldsMoreThanTheLimitGoesOnAndIsToldOnceWhy) {
  set_limit(tensors(2));
  std::vector<at::Tensor> kept;
  for (int i = 0; i < 10; ++i) kept.push_back(made() + 1);

  EXPECT_TRUE(torch::equal(kept.back().cpu(), torch::full({kElements}, 2.0F)));
  ASSERT_EQ(notices_.size(), 1U);
  EXPECT_EQ(notices_[0].kind, engine::LimitNotice::Kind::kExceeded);
  EXPECT_EQ(notices_[0].operations, 0U);
}

TEST_P(LimitTest, TensorsOfOneConfigurationCountInTheNext) {
  const at::Tensor kept = made() + 1;
  configure_with({});
  EXPECT_GE(memory_stats().committed_bytes, kBytes);
  const std::uint64_t with_it = memory_stats().committed_bytes;
  at::Tensor dropped = made() + kept;
  synchronize();
  dropped.reset();
  EXPECT_EQ(memory_stats().committed_bytes, with_it);
}

TEST_P(LimitTest, InputsThatOnlyOperationsKeepAreBacklog) {
  for (const HostCopies way : {HostCopies::kSnapshot, HostCopies::kKeep}) {
    host_copies_ = way;
    configure_with({});
    notices_.clear();
    const at::Tensor host = torch::ones({kElements});
    at::Tensor target = made();
    synchronize();
    set_limit({.bytes = std::uint64_t{1} << 40, .notice_bytes = 3 * kBytes});
    WorkerGate gate;
    for (int i = 0; i < 5; ++i) target.copy_(host, /*non_blocking=*/true);

    ASSERT_EQ(notices_.size(), 1U);
    EXPECT_EQ(notices_[0].kind, engine::LimitNotice::Kind::kLargeBacklog);
    EXPECT_EQ(notices_[0].backlog_bytes, 4 * kBytes);
    gate.open();
    synchronize();
  }
}

// Under the pools memory is free for what is issued next, whatever is in flight.
TEST_P(LimitTest, RunAheadCostsNoMemoryUnderThePools) {
  WorkerGate gate;
  at::Tensor sum = torch::zeros({kElements}, acpu_);
  const auto reserved_after = [&](int steps) {
    for (int i = 0; i < steps; ++i) sum += made() * 2;
    return memory_stats().reserved_bytes;
  };
  const std::uint64_t few = reserved_after(2);
  const std::uint64_t many = reserved_after(20);
  EXPECT_EQ(many - few, GetParam() == Allocation::kAtIssue ? 40 * kBytes : 0U);
  gate.open();
  EXPECT_TRUE(is_full_of(sum, 44));
}

TEST_P(LimitTest, ReadingWhatWasNeverWrittenCommitsItUntilItIsFree) {
  at::Tensor unwritten = torch::empty({kElements}, acpu_);
  static_cast<void>(unwritten.cpu());

  const MemoryStats stats = memory_stats();
  EXPECT_EQ(stats.committed_bytes, before_.committed_bytes + kBytes);
  EXPECT_EQ(stats.live_bytes, before_.live_bytes + kBytes);
  unwritten.reset();
  static_cast<void>(torch::empty({kElements}, acpu_));
  EXPECT_EQ(memory_stats().committed_bytes, before_.committed_bytes);
}

RUNAHEAD_RUN_UNDER(LimitTest, Allocation::kAtIssue, Allocation::kInStreamOrder,
                   Allocation::kCaching, Allocation::kAtExecution);

using Limit = DeviceTest;

TEST_F(Limit, MemoryThatTwoThreadsFirstUseIsCommittedOnce) {
  static std::atomic<int> held;
  held = 0;
  DeviceOptions options;
  options.wait_hooks.before = []() noexcept -> void* {
    ++held;
    held.notify_all();
    return nullptr;
  };
  options.wait_hooks.after = [](void*) noexcept {};
  configure(options);
  at::Tensor unwritten = torch::empty({kElements}, acpu_);
  const std::uint64_t before = memory_stats().claimed_bytes;
  {
    WorkerGate gate;
    set_limit({.bytes = 1});
    const auto wait = [&unwritten] { wait_for(unwritten); };
    const std::jthread one(wait);
    const std::jthread other(wait);
    for (int seen = 0; seen < 2; seen = held) held.wait(seen);
    gate.open();
  }
  EXPECT_EQ(memory_stats().claimed_bytes, before + kBytes);
  unwritten.reset();
  EXPECT_EQ(memory_stats().claimed_bytes, before);
}

TEST_F(Limit, IsTheGuardsWithoutSettings) {
  const auto limit = options().limit;

  ASSERT_TRUE(limit);
  EXPECT_EQ(limit->bytes.has_value(), guard_limit().bytes.has_value());
  EXPECT_TRUE(limit->operations);
}

// A chain that promises many results but never holds more than three at once.
TEST_F(Limit, LetsAChainRunAheadThatNeverHoldsMuchAtOnce) {
  at::Tensor x = torch::ones({kElements}, acpu_);
  synchronize();
  reset_peaks();
  const std::uint64_t before = memory_stats().committed_bytes;
  set_limit({.bytes = before + 2 * kBytes});
  WorkerGate gate;
  for (int i = 0; i < 50; ++i) x = x + 1;

  EXPECT_EQ(backlog().operations, 51U) << "one is the gate";
  EXPECT_GE(memory_stats().promised_bytes, 50 * kBytes);
  EXPECT_EQ(memory_stats().committed_bytes, before + kBytes);
  gate.open();
  EXPECT_EQ(x[0].item<float>(), 51.0F);
  EXPECT_LE(memory_stats().occupied_peak_bytes, before + 2 * kBytes);
}

TEST_F(Limit, CountsTheSumWhereOperationsMayOvertake) {
  configure({.workers = 2});
  at::Tensor x = torch::ones({kElements}, acpu_);
  synchronize();
  const std::uint64_t before = memory_stats().committed_bytes;
  WorkerGate gate(2);
  for (int i = 0; i < 50; ++i) x = x + 1;

  EXPECT_EQ(memory_stats().committed_bytes, before + 50 * kBytes);
  gate.open();
  synchronize();
  EXPECT_EQ(memory_stats().committed_bytes, before);
}

}  // namespace run_ahead_guard_test
}  // namespace runahead::device
