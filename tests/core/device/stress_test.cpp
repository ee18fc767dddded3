// Goal: whatever several threads do to the device at once, every value is the CPU's, and nothing is
// left in flight or in memory. Method: four threads issue random operations, each on tensors of its
// own and on the CPU alike, to four workers under a small limit; then values and counters are
// compared.
//
// Goal: the limit of bytes is kept at every push, and covers what memory holds. Method: an observer
// looks at the ledger under the lock of each push, while four threads issue random operations.
//
// RUNAHEAD_STRESS_OPERATIONS sets how many operations all models, or all cases, together make.

#include <array>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "core/device/device_fixture.h"

namespace runahead::device {
namespace {

constexpr int kStressThreads = 4;
constexpr std::int64_t kSmallSide = 8;    ///< Of the matrices.
constexpr std::int64_t kLargeSide = 136;  ///< So that freed memory is kept.

/// What RUNAHEAD_STRESS_OPERATIONS asks for, else `usual`.
int stress_operations(int usual) {
  const char* const requested = std::getenv("RUNAHEAD_STRESS_OPERATIONS");
  return requested != nullptr ? std::stoi(requested) : usual;
}

/// Tensors on the device and their equals on the CPU, changed by the same random operations.
class RandomProgram {
 public:
  static constexpr std::size_t kOwnTensors = 8;

  RandomProgram(const torch::Device& device, unsigned seed, std::int64_t side = kSmallSide)
      : device_(device), random_(seed), side_(side) {
    for (Pair& pair : pairs_) pair = from_host();
  }

  void step() {
    const std::size_t target = pick(kOwnTensors);
    const Pair& a = pairs_[pick(kOwnTensors)];
    const Pair& b = pairs_[pick(kOwnTensors)];
    const std::size_t kind = pick(kMakes.size() + kChanges.size() + 1);
    if (kind < kMakes.size()) {
      if (pick(256) == 0) require_equal(a);
      pairs_[target] = {kMakes[kind](a.device, b.device), kMakes[kind](a.host, b.host)};
    } else if (kind < kMakes.size() + kChanges.size()) {
      kChanges[kind - kMakes.size()](pairs_[target].device, a.device);
      kChanges[kind - kMakes.size()](pairs_[target].host, a.host);
    } else {
      pairs_[target] = from_host();
    }
  }

  void require_all_equal() {
    for (const Pair& pair : pairs_) require_equal(pair);
  }

 private:
  struct Pair {
    at::Tensor device;
    at::Tensor host;
  };
  using Tensor = at::Tensor;

  static constexpr std::array<Tensor (*)(const Tensor&, const Tensor&), 6> kMakes{
      [](const Tensor& x, const Tensor& y) { return (x + y) * 0.5; },
      [](const Tensor& x, const Tensor& y) { return x.mm(y).tanh(); },
      [](const Tensor& x, const Tensor& y) { return x.sub(y, 0.5).relu(); },
      [](const Tensor& x, const Tensor&) { return torch::empty_like(x).copy_(x.t()); },
      [](const Tensor& x, const Tensor&) { return x.t().tanh(); },
      [](const Tensor& x, const Tensor& y) { return torch::where(x > y, x, y); }};
  static constexpr std::array<void (*)(const Tensor&, const Tensor&), 2> kChanges{
      [](const Tensor& z, const Tensor& x) { z.mul_(0.5).add_(x.tanh()); },
      [](const Tensor& z, const Tensor& x) { z.slice(0, 0, 3).copy_(x.slice(0, 4, 7)); }};

  std::size_t pick(std::size_t count) { return random_() % count; }

  Pair from_host() {
    const auto value = static_cast<float>(pick(1000)) / 1000;
    const at::Tensor host = torch::full({side_, side_}, value);
    return {host.to(device_), host};
  }

  static void require_equal(const Pair& pair) {
    if (!is_bit_equal(pair.device, pair.host)) throw Error("the device's values are not the CPU's");
  }

  torch::Device device_;
  std::mt19937 random_;
  const std::int64_t side_;
  std::array<Pair, kOwnTensors> pairs_{};
};

/// Runs so many random operations on each of kStressThreads threads, and compares their values.
/// @throws what went wrong on any of them.
void run_random_programs(const torch::Device& device, int operations_a_thread,
                         std::int64_t side = kSmallSide) {
  std::array<std::exception_ptr, kStressThreads> failures{};
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < kStressThreads; ++i) {
      threads.emplace_back([&device, operations_a_thread, side, i, &failure = failures[i]] {
        try {
          RandomProgram program(device, i, side);
          for (int step = operations_a_thread; step > 0; --step) program.step();
          program.require_all_equal();
        } catch (...) {
          failure = std::current_exception();
        }
      });
    }
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  synchronize();
}

constexpr int kModels = 4;

class Stress : public DeviceTest, public ::testing::WithParamInterface<Allocation> {};

TEST_P(Stress, RandomOperationsOfSeveralThreadsGiveTheBitsOfTheCpuAndLeaveNothingBehind) {
  for (const std::int64_t side : {kSmallSide, kLargeSide}) {
    const auto few = 256 * static_cast<std::uint64_t>(side * side) * sizeof(float);
    configure({.workers = 4,
               .ready_order = engine::ReadyOrder::kFirstReady,
               .allocation = GetParam(),
               .limit = engine::RunAheadLimit{.operations = 64, .bytes = few}});
    const MemoryStats before = memory_stats();
    const int operations = stress_operations(80'000) / (side == kSmallSide ? 1 : 25);
    run_random_programs(acpu_, operations / (kStressThreads * kModels), side);

    const MemoryStats after = memory_stats();
    EXPECT_EQ(backlog().operations, 0U);
    EXPECT_EQ(after.live_bytes, before.live_bytes);
    EXPECT_EQ(after.committed_bytes, before.committed_bytes);
    EXPECT_EQ(after.claimed_bytes, before.claimed_bytes);
    EXPECT_EQ(after.promised_bytes, before.promised_bytes);
    EXPECT_EQ(after.held_bytes, before.held_bytes);
    EXPECT_EQ(after.freed_in_flight_bytes, before.freed_in_flight_bytes);
  }
}

RUNAHEAD_RUN_UNDER(Stress, Allocation::kAtIssue, Allocation::kInStreamOrder, Allocation::kCaching,
                   Allocation::kAtExecution);

constexpr int kCases = 5;

struct LimitCase {
  const char* name = "";
  int workers = 1;
  engine::ReadyOrder ready_order = engine::ReadyOrder::kOldestFirst;
  Allocation allocation = Allocation::kAtExecution;
};

constexpr std::array<LimitCase, kCases> kLimitCases{{
    {.name = "AtIssue", .workers = 4, .allocation = Allocation::kAtIssue},
    {.name = "InStreamOrder", .workers = 4, .allocation = Allocation::kInStreamOrder},
    {.name = "Caching", .workers = 4, .allocation = Allocation::kCaching},
    {.name = "AtExecution", .workers = 4, .ready_order = engine::ReadyOrder::kFirstReady},
    {.name = "PredictedHighWaterMark", .workers = 1},
}};

/// Compares the ledger with the limit at each push, before an operation can have run.
class CommitmentCheck final : public engine::Observer {
 public:
  CommitmentCheck(const MemoryLedger& ledger, std::uint64_t most_bytes)
      : ledger_(ledger), most_bytes_(most_bytes) {}

  void on_push(const engine::OperationEvent&) noexcept override {
    // With 0, what has finished since the ledger last looked counts still: more, never less.
    const std::uint64_t committed = ledger_.committed_bytes(0);
    const std::uint64_t occupied = occupied_bytes();
    ++pushes_;
    if (committed > most_bytes_) ++beyond_limit_;
    if (occupied > committed) ++not_covered_;
  }
  [[nodiscard]] std::uint64_t pushes() const { return pushes_; }
  [[nodiscard]] std::uint64_t beyond_limit() const { return beyond_limit_; }
  [[nodiscard]] std::uint64_t not_covered() const { return not_covered_; }

 private:
  // Exact, while workers add and subtract: nothing was added while it was read.
  [[nodiscard]] std::uint64_t occupied_bytes() const noexcept {
    for (;;) {
      const std::uint64_t added = ledger_.occupied.added();
      const std::uint64_t subtracted = ledger_.occupied.subtracted();
      if (ledger_.occupied.added() == added) return added - subtracted;
    }
  }

  const MemoryLedger& ledger_;
  const std::uint64_t most_bytes_;
  std::atomic<std::uint64_t> pushes_{0};
  std::atomic<std::uint64_t> beyond_limit_{0};
  std::atomic<std::uint64_t> not_covered_{0};
};

class LimitStress : public DeviceTest, public ::testing::WithParamInterface<LimitCase> {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    // Of the programs' own tensors, and a few more: reached all the time.
    configure_with(nullptr, {});
  }
  void configure_with(engine::Observer* observer, const engine::RunAheadLimit& limit) const {
    configure({.workers = GetParam().workers,
               .ready_order = GetParam().ready_order,
               .allocation = GetParam().allocation,
               .limit = limit,
               .observer = observer,
               .on_limit_notice = [](const engine::LimitNotice&) {}});
  }
};

TEST_P(LimitStress, CommittedBytesNeverPassTheLimitPlusOneOperationAndCoverWhatMemoryHolds) {
  constexpr std::uint64_t kLargestOperation = 512;  // A tensor, rounded up.
  const std::uint64_t own = kStressThreads * RandomProgram::kOwnTensors * kLargestOperation;
  const std::uint64_t limit = memory_stats().committed_bytes + own + 16 * kLargestOperation;
  CommitmentCheck check(Runtime::get().ledger, limit + kLargestOperation);
  configure_with(&check, {.bytes = limit});
  const int operations = stress_operations(50'000) / kCases;
  run_random_programs(acpu_, operations / kStressThreads);

  EXPECT_GE(check.pushes(), static_cast<std::uint64_t>(operations));
  EXPECT_EQ(check.beyond_limit(), 0U);
  EXPECT_EQ(check.not_covered(), 0U);
  configure_with(nullptr, {});
}

TEST_P(LimitStress, NoSmallBudgetOnARandomGraphDeadlocks) {
  std::mt19937 random(1);
  RandomProgram program(acpu_, 1);
  constexpr int kBudgets = 2'500 / kCases;
  for (int i = 0; i < kBudgets; ++i) {
    set_limit({.bytes = 1 + random() % (1U << (random() % 15))});
    for (std::uint64_t step = 1 + random() % 4; step > 0; --step) program.step();
  }

  program.require_all_equal();
}

INSTANTIATE_TEST_SUITE_P(Cases, LimitStress, ::testing::ValuesIn(kLimitCases),
                         [](const auto& limit_case) { return limit_case.param.name; });

}  // namespace
}  // namespace runahead::device
