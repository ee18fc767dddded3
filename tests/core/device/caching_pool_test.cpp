// Goal: under allocation `caching` tensors have the memory that LibTorch's CUDA caching allocator
// would give them, its counters and the device's agree to the byte, and no operation in flight ever
// sees its memory change, with record_stream or without. Method: the worker is held while tensors
// come and go, and counters and values are compared.
#include <c10/core/StreamGuard.h>
#include <torch/torch.h>

#include <future>
#include <random>
#include <stdexcept>
#include <vector>

#include "core/device/device_fixture.h"
#include "core/device/dispatch/issue.h"
#include "core/device/dispatch/operand.h"
#include "support/error_message.h"

namespace runahead::device {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::int64_t kElements = 1024;
constexpr std::uint64_t kBytes = kElements * sizeof(float);

class CachingPoolTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    start("");
  }
  void start(const char* settings, std::optional<std::uint64_t> capacity_bytes = std::nullopt) {
    DeviceOptions options{.allocation = Allocation::kCaching,
                          .allocator = engine::parse_allocator_settings(settings)};
    options.allocator.capacity_bytes = capacity_bytes;
    configure(options);
    allocator().emptyCache();
    reset_peaks();
  }
  [[nodiscard]] at::Tensor filled(float value, std::int64_t elements = kElements) const {
    return torch::full({elements}, value, acpu_);
  }
  [[nodiscard]] at::Tensor empty(std::int64_t elements = kElements) const {
    return torch::empty({elements}, acpu_);
  }
  [[nodiscard]] at::Tensor megabytes(std::int64_t size) const {
    return torch::empty({size << 20}, torch::dtype(torch::kUInt8).device(acpu_));
  }
  static std::int64_t all(const c10::CachingAllocator::StatArray& stat) { return stat[0].current; }

  static void expect_equal_counters() {
    const auto device = statistics();
    const MemoryStats ledger = memory_stats();
    EXPECT_EQ(all(device.allocated_bytes), ledger.allocated_bytes);
    EXPECT_EQ(all(device.active_bytes), ledger.live_bytes);
    EXPECT_EQ(all(device.active_bytes) - all(device.allocated_bytes), ledger.freed_in_flight_bytes);
    EXPECT_EQ(all(device.reserved_bytes), ledger.reserved_bytes);
    EXPECT_EQ(device.reserved_bytes[0].peak, ledger.reserved_peak_bytes);
    EXPECT_EQ(device.active_bytes[0].peak, ledger.live_peak_bytes);
    EXPECT_EQ(ledger.claimed_bytes, ledger.live_bytes + ledger.held_bytes + ledger.promised_bytes);
  }
};

TEST_F(CachingPoolTest, PartsOfMemoryWaitForAReaderWhileOtherWorkersAreFree) {
  DeviceOptions options{.workers = 2, .allocation = Allocation::kCaching};
  configure(options);
  const at::Tensor unrelated = filled(1);
  at::Tensor whole = filled(1, 2 * kElements);
  synchronize();
  std::promise<void> opened;
  std::vector<float> seen;
  Block& block = block_of(whole);
  Accesses accesses;
  name_block(accesses, block, engine::AccessMode::kRead);
  issue(Runtime::get(), "reader", std::move(accesses), [&, memory = block.memory()] {
    opened.get_future().wait();
    const auto* const values = static_cast<const float*>(memory);
    seen = {values[0], values[2 * kElements - 1]};
  });
  whole.reset();

  const at::Tensor lower = filled(3);
  const at::Tensor upper = filled(4);
  EXPECT_EQ((unrelated + 1)[0].item<float>(), 2) << "the other worker has been through the queue";
  opened.set_value();

  EXPECT_TRUE(is_full_of(lower, 3));
  EXPECT_TRUE(is_full_of(upper, 4));
  EXPECT_EQ(seen, (std::vector<float>{1, 1}));
}

TEST_F(CachingPoolTest, AdvisesExpandableSegmentsOnlyWhereTheyHelp) {
  const auto advises = [this](std::int64_t size) {
    return test::error_message<c10::OutOfMemoryError>([&] {
             (void)megabytes(size);
           }).find("expandable_segments") != std::string::npos;
  };
  const auto hold_parts_of_segments = [this] {  // 20 MB each, of which the freed half is idle.
    std::vector<at::Tensor> parts;
    for (int i = 0; i < 6; ++i) parts.push_back(megabytes(9));
    return std::vector<at::Tensor>{parts[0], parts[2], parts[4]};
  };
  start("", 64 * kMiB);
  const std::vector<at::Tensor> held = hold_parts_of_segments();
  EXPECT_TRUE(advises(30));
  EXPECT_FALSE(advises(100)) << "it does not fit at all";
  start("expandable_segments:True", 64 * kMiB);
  EXPECT_FALSE(advises(100));
}

TEST_F(CachingPoolTest, ReportsTheCapacityAsTheMemoryThatIsThere) {
  start("", 64 * kMiB);
  const at::Tensor held = megabytes(10);
  const auto [free, total] = allocator().getMemoryInfo(0);
  EXPECT_EQ(total, 64 * kMiB);
  EXPECT_EQ(total - free, static_cast<std::size_t>(all(statistics().reserved_bytes)));
}

TEST_F(CachingPoolTest, RecordedStreamDefersTheFree) {
  const c10::impl::VirtualGuardImpl guard(at::kPrivateUse1);
  const c10::Stream side = guard.getStreamFromGlobalPool(acpu_);
  at::Tensor x = filled(1);
  synchronize();
  WorkerGate gate;
  at::Tensor y;
  {
    const c10::StreamGuard on_side(side);
    y = x + 1;
  }
  x.record_stream(side);

  x.reset();

  EXPECT_EQ(memory_stats().freed_in_flight_bytes, kBytes);
  const at::Tensor z = filled(7);
  EXPECT_EQ(memory_stats().freed_in_flight_bytes, kBytes) << "its event has not finished";
  expect_equal_counters();
  gate.open();
  synchronize();
  EXPECT_EQ(memory_stats().freed_in_flight_bytes, kBytes) << "no allocation has asked";
  const at::Tensor asks = empty();
  EXPECT_EQ(memory_stats().freed_in_flight_bytes, 0U);
  expect_equal_counters();
  EXPECT_TRUE(is_full_of(y, 2));
  EXPECT_TRUE(is_full_of(z, 7));
}

TEST_F(CachingPoolTest, CapacityIsKeptToAndFailsAtTheCall) {
  start("", 64 * kMiB);
  const at::Tensor a = megabytes(40);
  const auto before = statistics();

  EXPECT_THROW((void)megabytes(40), c10::OutOfMemoryError);

  EXPECT_EQ(statistics().num_ooms, before.num_ooms + 1);
  EXPECT_EQ(statistics().num_alloc_retries, before.num_alloc_retries + 1);
  EXPECT_NO_THROW((void)megabytes(20));
  expect_equal_counters();
}

TEST_F(CachingPoolTest, MemoryWhoseAdmissionIsInterruptedIsFreed) {
  DeviceOptions options = device::options();
  options.wait_hooks.check = [] { throw std::runtime_error("interrupted"); };
  configure(options);
  at::Tensor whole = megabytes(20);
  synchronize();
  whole.reset();  // Its chunk will serve a request that is smaller by too little to split it.
  const MemoryStats before = memory_stats();
  WorkerGate gate;
  set_limit({.bytes = before.claimed_bytes + 20 * kMiB - 1});

  EXPECT_THROW(
      (void)torch::empty({(20 << 20) - (1 << 19)}, torch::dtype(torch::kUInt8).device(acpu_)),
      std::runtime_error);

  EXPECT_EQ(memory_stats().claimed_bytes, before.claimed_bytes);
  expect_equal_counters();
}

TEST_F(CachingPoolTest, MemoryThatItsRecordedStreamHasLeftIsFreeForTheLimit) {
  DeviceOptions options{.workers = 2, .allocation = Allocation::kCaching};
  options.wait_hooks.check = [] { throw std::runtime_error("held"); };
  configure(options);
  const c10::impl::VirtualGuardImpl guard(at::kPrivateUse1);
  const c10::Stream side = guard.getStreamFromGlobalPool(acpu_);
  at::Tensor whole = megabytes(20);
  const WorkerGate gate;
  {
    const c10::StreamGuard on_side(side);
    const WorkerGate side_gate;
    allocator().recordStream(whole.storage().data_ptr(), side);
    whole.reset();
  }
  guard.synchronizeStream(side);
  set_limit({.bytes = memory_stats().claimed_bytes + kMiB});

  EXPECT_NO_THROW(whole = megabytes(20));
  expect_equal_counters();
}

TEST(CachingHeapTest, RequestsThatNoExpandableSegmentCanHoldReserveNoAddresses) {
  class CountingSource final : public caching::SegmentSource {
   public:
    std::shared_ptr<caching::SegmentMemory> make(std::uint64_t) override { return nullptr; }
    std::shared_ptr<caching::SegmentMemory> reserve(std::uint64_t) override {
      ++reservations;
      return nullptr;
    }
    [[nodiscard]] std::uint64_t total_bytes() const noexcept override { return 64 * kMiB; }
    int reservations = 0;
  };
  CountingSource source;
  caching::CachingHeap heap(source, {});
  heap.set_settings({.expandable_segments = true});

  EXPECT_EQ(heap.allocate(kMiB * 100, 0), nullptr);
  EXPECT_EQ(source.reservations, 0);
  EXPECT_EQ(heap.allocate(kMiB * 50, 0), nullptr);
  EXPECT_EQ(source.reservations, 1);
}

TEST_F(CachingPoolTest, AllocationThatFindsNoneWaitsForPendingFrees) {
  start("", 64 * kMiB);
  const c10::impl::VirtualGuardImpl guard(at::kPrivateUse1);
  const c10::Stream side = guard.getStreamFromGlobalPool(acpu_);
  at::Tensor x = megabytes(40);
  {
    const c10::StreamGuard on_side(side);
    for (int i = 0; i < 50; ++i) x.add_(1);
  }
  x.record_stream(side);
  x.reset();
  EXPECT_NO_THROW((void)megabytes(40));
  EXPECT_EQ(memory_stats().freed_in_flight_bytes, 0U);
  expect_equal_counters();
}

TEST_F(CachingPoolTest, TensorsOutliveAChangeOfTheModel) {
  at::Tensor x = filled(1);
  at::Tensor idle = megabytes(30);
  idle.reset();

  configure({.allocation = Allocation::kAtExecution});
  EXPECT_EQ(memory_stats().reserved_bytes, 2 * kMiB);
  at::Tensor y = x + 1;
  x.reset();
  EXPECT_TRUE(is_full_of(y, 2));
  EXPECT_EQ(memory_stats().reserved_bytes, memory_stats().live_bytes);

  configure({.allocation = Allocation::kCaching});
  const at::Tensor z = y + 1;
  EXPECT_TRUE(is_full_of(z, 3));
}

TEST_F(CachingPoolTest, RecordedStreamsDeferNoFreeOnceTheModelHasChanged) {
  const c10::impl::VirtualGuardImpl guard(at::kPrivateUse1);
  const c10::Stream side = guard.getStreamFromGlobalPool(acpu_);
  at::Tensor x = filled(1);
  x.record_stream(side);
  configure({.allocation = Allocation::kAtExecution});
  at::Tensor y;
  {
    WorkerGate gate;
    const c10::StreamGuard on_side(side);
    y = x + 1;
    x.reset();
  }
  synchronize();

  EXPECT_EQ(memory_stats().freed_in_flight_bytes, 0U);
  EXPECT_EQ(memory_stats().live_bytes, kBytes);
  EXPECT_TRUE(is_full_of(y, 2));
}

TEST_F(CachingPoolTest, CountersAgreeAlongARandomProgram) {
  for (const char* settings :
       {"", "expandable_segments:True", "max_split_size_mb:21", "roundup_power2_divisions:4"}) {
    start(settings);
    const c10::impl::VirtualGuardImpl guard(at::kPrivateUse1);
    const std::array streams{guard.getDefaultStream(acpu_), guard.getStreamFromGlobalPool(acpu_),
                             guard.getStreamFromGlobalPool(acpu_)};
    struct Known {
      at::Tensor tensor;
      float value;
    };
    std::vector<Known> live;
    std::mt19937 generator(3);
    const auto draw = [&](std::size_t bound) { return generator() % bound; };
    for (int step = 0; step < 600; ++step) {
      const c10::Stream stream = streams[draw(streams.size())];
      const c10::StreamGuard on_stream(stream);
      if (live.size() < 4 || (live.size() < 24 && draw(2) == 0)) {
        const auto value = static_cast<float>(draw(100));
        const auto elements = std::int64_t{1} << (4 + draw(17));
        live.push_back({filled(value, elements), value});
        continue;
      }
      Known& known = live[draw(live.size())];
      known.tensor.add_(1);
      known.value += 1;
      if (draw(2) == 0) known.tensor.record_stream(stream);
      if (draw(2) == 0) {
        EXPECT_TRUE(is_full_of(known.tensor.slice(0, 0, 16), known.value));
        std::swap(known, live.back());
        live.pop_back();
      }
      if (step % 20 == 0) expect_equal_counters();
    }
    for (const Known& known : live) EXPECT_TRUE(is_full_of(known.tensor, known.value));
    live.resize(1);
    synchronize();
    allocator().emptyCache();
    expect_equal_counters();
    EXPECT_TRUE(is_full_of(live[0].tensor, live[0].value)) << "what a tensor has stays";
    live.clear();
    allocator().emptyCache();
    expect_equal_counters();
    EXPECT_EQ(memory_stats().reserved_bytes, 0U) << "what no tensor has is returned";
  }
}

}  // namespace
}  // namespace runahead::device
