// Goal: CachingHeap decides as CUDA's caching allocator does on a GPU. Method: traces that
// cuda_traces/record.py took there are replayed, and traces of a plain model of the rules; every
// segment made or returned, every address and every counter, peaks included, must be the trace's.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/device/caching/caching_heap.h"

namespace runahead::device::caching {
namespace {

namespace fs = std::filesystem;

/// An address, with the number of bytes that the allocator took there or returned.
struct Range {
  std::uintptr_t address = 0;
  std::uint64_t bytes = 0;
  bool operator==(const Range&) const = default;
};

/// Segments at the addresses that CUDA gave, in its order.
class TracedSource final : public SegmentSource {
 public:
  explicit TracedSource(std::uint64_t total_bytes) : total_bytes_(total_bytes) {}

  [[nodiscard]] std::shared_ptr<SegmentMemory> make(std::uint64_t bytes) override {
    if (expected_.empty() || expected_.front().bytes != bytes) return nullptr;
    const Range range = expected_.front();
    expected_.pop_front();
    return std::make_shared<Memory>(*this, range, /*is_expandable=*/false);
  }
  /// The trace has what is mapped, not what is reserved: a segment begins where it is mapped first.
  [[nodiscard]] std::shared_ptr<SegmentMemory> reserve(std::uint64_t bytes) override {
    if (expected_.empty()) return nullptr;
    return std::make_shared<Memory>(*this, Range{expected_.front().address, bytes},
                                    /*is_expandable=*/true);
  }
  [[nodiscard]] std::uint64_t total_bytes() const noexcept override { return total_bytes_; }

  /// What CUDA takes in the step that comes.
  void expect(std::deque<Range> ranges) { expected_ = std::move(ranges); }
  [[nodiscard]] const std::deque<Range>& expected() const noexcept { return expected_; }
  /// What was returned since the last call, by address.
  [[nodiscard]] std::vector<Range> take_returned() {
    std::vector<Range> returned = std::exchange(returned_, {});
    std::ranges::sort(returned, {}, &Range::address);
    return returned;
  }

 private:
  class Memory final : public SegmentMemory {
   public:
    Memory(TracedSource& source, Range range, bool is_expandable)
        : SegmentMemory(range.address, range.bytes),
          source_(source),
          is_expandable_(is_expandable) {}
    ~Memory() override {
      if (!is_expandable_) source_.returned_.push_back({address(), bytes()});
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    [[nodiscard]] bool map(std::uintptr_t address, std::uint64_t bytes) noexcept override {
      if (source_.expected_.empty() || source_.expected_.front() != Range{address, bytes}) {
        return false;
      }
      source_.expected_.pop_front();
      return true;
    }
    void unmap(std::uintptr_t address, std::uint64_t bytes) noexcept override {
      source_.returned_.push_back({address, bytes});
    }

   private:
    TracedSource& source_;
    const bool is_expandable_;
  };

  const std::uint64_t total_bytes_;
  std::deque<Range> expected_{};
  std::vector<Range> returned_{};
};

class CudaTrace : public ::testing::TestWithParam<fs::path> {
 protected:
  CudaTrace() {
    AllocatorSettings settings =
        engine::parse_allocator_settings(trace_.at("settings").get<std::string>());
    if (!trace_.at("capacity_bytes").is_null()) {
      settings.capacity_bytes = trace_.at("capacity_bytes").get<std::uint64_t>();
    }
    heap_.set_settings(settings);
  }

  /// ["allocate", bytes, stream, address or null, events]: null is out of memory.
  void allocate(const Json& step) {
    note(step.at(4));
    const auto bytes = step.at(1).get<std::uint64_t>();
    const auto stream = step.at(2).get<StreamId>();
    Chunk* chunk = heap_.allocate(bytes, stream);
    if (chunk == nullptr) {
      for (const std::uintptr_t address : std::exchange(awaited_, {})) *pending_.at(address) = true;
      chunk = heap_.allocate_at_last(bytes, stream);
    }
    ASSERT_TRUE(awaited_.empty()) << "the trace waits for the device";
    ASSERT_EQ(chunk == nullptr, step.at(3).is_null());
    if (chunk == nullptr) return;
    ASSERT_EQ(chunk->address, step.at(3).get<std::uintptr_t>());
    live_[chunk->address] = chunk;
  }

  /// ["free", address, whether another stream still uses it].
  void free(const Json& step) {
    const auto address = step.at(1).get<std::uintptr_t>();
    Chunk* const chunk = live_.at(address);
    live_.erase(address);
    if (!step.at(2).get<bool>()) return heap_.free(*chunk, {});
    const auto is_over = std::make_shared<bool>(false);
    pending_[address] = is_over;
    // A stream of its own: in a trace each use ends by itself. One that is over defers nothing.
    heap_.free(*chunk, {{--last_use_, [is_over] { return *is_over; }}, {0, [] { return true; }}});
  }

  /// One by one: counters pass through the states that the order of frees gives.
  void finish(std::uintptr_t address) {
    *pending_.at(address) = true;
    heap_.process_events();
  }

  /// Takes what CUDA did in a step, as what is to come.
  void note(const Json& events) {
    std::deque<Range> taken;
    for (const Json& event : events) {
      const Range range{event.at(1).get<std::uintptr_t>(), event.at(2).get<std::uint64_t>()};
      const std::string& kind = event.at(0).get_ref<const std::string&>();
      if (kind == "made" || kind == "mapped") taken.push_back(range);
      if (kind == "returned" || kind == "unmapped") returned_.push_back(range);
      if (kind == "finished") finish(range.address);
      if (kind == "awaited") awaited_.push_back(range.address);
    }
    source_.expect(std::move(taken));
  }

  void run(const Json& step) {
    const std::string& kind = step.at(0).get_ref<const std::string&>();
    if (kind == "allocate") {
      allocate(step);
    } else if (kind == "free") {
      free(step);
    } else if (kind == "empty") {
      note(step.at(1));
      heap_.release_cached();
    } else {
      ASSERT_EQ(kind, "reset_peaks");
      heap_.reset_peak_statistics();
    }
    ASSERT_TRUE(source_.expected().empty()) << "CUDA took more memory";
    std::ranges::sort(returned_, {}, &Range::address);
    ASSERT_EQ(source_.take_returned(), std::exchange(returned_, {}));
  }

  void expect_statistic(const std::string& name, const c10::CachingAllocator::StatArray& found) {
    static constexpr const char* kPools[]{"all", "small_pool", "large_pool"};
    for (std::size_t pool = 0; pool < found.size(); ++pool) {
      const std::string prefix = name + "." + kPools[pool] + ".";
      EXPECT_EQ(found[pool].current, statistic(prefix + "current")) << prefix << "current";
      EXPECT_EQ(found[pool].peak, statistic(prefix + "peak")) << prefix << "peak";
      EXPECT_EQ(found[pool].allocated, statistic(prefix + "allocated")) << prefix << "allocated";
      EXPECT_EQ(found[pool].freed, statistic(prefix + "freed")) << prefix << "freed";
    }
  }

  [[nodiscard]] std::int64_t statistic(const std::string& name) const {
    return trace_.at("statistics").at(name).get<std::int64_t>();
  }

  void expect_equal_statistics() {
    const CachingHeap::Statistics& found = heap_.statistics();
    expect_statistic("allocation", found.allocation);
    expect_statistic("segment", found.segment);
    expect_statistic("active", found.active);
    expect_statistic("inactive_split", found.inactive_split);
    expect_statistic("allocated_bytes", found.allocated_bytes);
    expect_statistic("reserved_bytes", found.reserved_bytes);
    expect_statistic("active_bytes", found.active_bytes);
    expect_statistic("inactive_split_bytes", found.inactive_split_bytes);
    expect_statistic("requested_bytes", found.requested_bytes);
    EXPECT_EQ(found.num_alloc_retries, statistic("num_alloc_retries"));
    EXPECT_EQ(found.num_ooms, statistic("num_ooms"));
    EXPECT_EQ(found.num_device_alloc, statistic("num_device_alloc"));
    EXPECT_EQ(found.num_device_free, statistic("num_device_free"));
    EXPECT_EQ(found.oversize_allocations.peak, statistic("oversize_allocations.peak"));
    EXPECT_EQ(found.oversize_segments.peak, statistic("oversize_segments.peak"));
  }

  const Json trace_ = read_json_file(GetParam());
  TracedSource source_{trace_.at("device_bytes").get<std::uint64_t>()};
  CachingHeap heap_{source_};
  std::map<std::uintptr_t, Chunk*> live_{};
  std::map<std::uintptr_t, std::shared_ptr<bool>> pending_{};
  std::vector<Range> returned_{};
  std::vector<std::uintptr_t> awaited_{};
  StreamId last_use_ = 0;
};

TEST_P(CudaTrace, IsReplayedAddressByAddress) {
  std::size_t number = 0;
  for (const Json& step : trace_.at("steps")) {
    SCOPED_TRACE("step " + std::to_string(number++) + ": " + step.dump());
    run(step);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(number, 0U);
  expect_equal_statistics();
}

std::vector<fs::path> traces() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(RUNAHEAD_CUDA_TRACES)) {
    paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

INSTANTIATE_TEST_SUITE_P(Traces, CudaTrace, ::testing::ValuesIn(traces()), [](const auto& each) {
  std::string name = each.param.stem().string();
  std::ranges::replace(name, '.', '_');
  return name;
});

}  // namespace
}  // namespace runahead::device::caching
