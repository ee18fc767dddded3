#include <gmock/gmock.h>
#include <torch/types.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/cuda/active_allocator.h"
#include "core/cuda/allocator_settings.h"
#include "core/cuda/availability.h"
#include "core/cuda/cuda_memory.h"
#include "core/cuda/nvml.h"
#include "core/cuda/nvtx_ranges.h"
#include "core/cuda/staging.h"

namespace runahead::cuda {
namespace without_a_gpu_test {

// Without a GPU: a device that is not there is measured nowhere, and nothing fails for it.

using ::testing::Each;

constexpr int kMissingDevice = 127;

TEST(Availability, SaysWhyThereIsNoDeviceAndDescribesEachThatThereIs) {
  const Availability found = availability();
  EXPECT_EQ(found.problem.empty(), found.devices > 0) << found.problem;
  EXPECT_FALSE(found.problem.ends_with(".")) << found.problem;
  const Json devices = describe_devices();
  ASSERT_EQ(devices.size(), static_cast<std::size_t>(found.devices));
  for (std::size_t i = 0; i < devices.size(); ++i) {
    EXPECT_EQ(devices[i].at("device").get<std::string>(), "cuda:" + std::to_string(i));
    EXPECT_EQ(devices[i].at("name").get<std::string>(), device_name(static_cast<int>(i)));
    EXPECT_EQ(devices[i].at("probes"), probe_availability(static_cast<int>(i)));
  }
  EXPECT_EQ(version_text(12080), "12.8");
}

TEST(MissingDevice, HasNoNameAndNoFigures) {
  EXPECT_EQ(device_name(kMissingDevice), std::nullopt);
  EXPECT_EQ(device_name(-1), std::nullopt);
  const Json none = {{"cuda_memory", false},
                     {"allocator", false},
                     {"pinned_memory", false},
                     {"pool", false},
                     {"nvml", false}};
  EXPECT_EQ(probe_availability(kMissingDevice), none);
  EXPECT_EQ(probe_availability(-1), none);
  EXPECT_THROW(static_cast<void>(make_device_memory(torch::kCPU)), UsageError);

  auto memory = make_device_memory(torch::Device(torch::kCUDA, c10::DeviceIndex{kMissingDevice}));
  if (memory == nullptr) GTEST_SKIP() << "this LibTorch was built without CUDA";
  const Json report = memory->report();
  for (const auto& [key, value] : report.items()) {
    EXPECT_TRUE(value.is_null() || key == "allocator" || key == "available") << key;
  }
  for (const auto& [source, is_available] : report.at("available").items()) {
    EXPECT_FALSE(is_available.get<bool>()) << source;
  }
  const auto probes = memory->make_probes();
  memory.reset();  // They outlive it.
  std::set<std::string> columns;
  for (const auto& probe : probes) {
    for (const memory::Column& column : probe->columns()) columns.insert(column.name);
    std::vector<memory::Reading> readings(probe->columns().size(), memory::Reading(1));
    probe->read(readings);
    EXPECT_THAT(readings, Each(memory::Reading())) << probe->columns().front().name;
  }
  EXPECT_EQ(columns,
            (std::set<std::string>{"cuda_used_bytes", "cuda_allocated_bytes", "cuda_reserved_bytes",
                                   "cuda_active_bytes", "cuda_requested_bytes", "cuda_pinned_bytes",
                                   "cuda_pool_used_bytes", "cuda_pool_reserved_bytes",
                                   "nvml_process_bytes", "nvml_utilisation_percent"}));
}

TEST(Nvml, IsNullWithoutItsLibraryAndKnowsNoDeviceOutsideThePciBus) {
  EXPECT_EQ(Nvml::open("libno-such-management-library.so.1"), nullptr);
  EXPECT_EQ(Nvml::open("libm.so.6"), nullptr) << "another library";
  const auto library = Nvml::open();
  if (library == nullptr) GTEST_SKIP() << "no " << Nvml::kLibrary << " on this machine";
  EXPECT_EQ(library->find_device("ffff:ff:1f.7"), nullptr);
}

TEST(CudaStaging, LeavesBatchesOfOtherDevicesAsTheyAreAndNeedsABufferForARing) {
  config::ExperimentConfig config;
  config.cuda = {.staging = config::Staging::kPinned, .copies = config::Copies::kSideReuse};
  const train::Batch host{.inputs = torch::ones({2, 3}), .targets = torch::zeros({2, 1})};
  const train::Batch batch = make_staging(config, torch::kCPU)->to_device(host);
  EXPECT_TRUE(batch.inputs.is_same(host.inputs));
  EXPECT_TRUE(batch.targets.is_same(host.targets));
  EXPECT_EQ(batch.kept_bytes, 0U);
  config.cuda = {.staging = config::Staging::kPinnedRing, .buffers = 0};
  EXPECT_THROW(static_cast<void>(make_staging(config, torch::kCUDA)), UsageError);
}

using config::CudaAllocator;
using config::CudaConfig;

constexpr CudaAllocator kOther = CudaAllocator::kCudaMallocAsync;

TEST(AllocatorSettings, SayWhatTheConfigAsksForAndKeepWhatItDoesNotDecide) {
  const struct {
    CudaConfig config;
    const char* before;
    const char* after;
  } cases[]{{{}, "", "backend:native,expandable_segments:False"},
            {{.expandable_segments = true}, "", "backend:native,expandable_segments:True"},
            {{.allocator = kOther}, "", "backend:cudaMallocAsync"},
            {{},
             "max_split_size_mb:128, backend:cudaMallocAsync,roundup_power2_divisions:[256:1,>:2]",
             "backend:native,expandable_segments:False,max_split_size_mb:128,"
             "roundup_power2_divisions:[256:1,>:2]"}};
  for (const auto& one : cases) EXPECT_EQ(with_allocator_of(one.config, one.before), one.after);
}

TEST(AllocatorSettings, AreNeededWhereTheEnvironmentDoesNotSayTheSame) {
  const std::string native = "backend:native,expandable_segments:False";
  const struct {
    CudaConfig config;
    AllocatorEnvironment environment;
    std::optional<std::string> needed;
  } cases[]{
      {{}, {}, std::nullopt},
      {{.allocator = kOther}, {.settings = "backend:cudaMallocAsync"}, std::nullopt},
      {{.expandable_segments = true},
       {.cuda_settings = "max_split_size_mb:64, expandable_segments: True"},
       std::nullopt},
      {{}, {.cuda_settings = "max_split_size_mb:64", .settings = ""}, std::nullopt},
      {{.allocator = kOther}, {}, "backend:cudaMallocAsync"},
      {{.expandable_segments = true},
       {.settings = "max_split_size_mb:64"},
       "backend:native,expandable_segments:True,max_split_size_mb:64"},
      {{}, {.settings = "backend:cudaMallocAsync"}, native},
      {{}, {.cuda_settings = "expandable_segments:True"}, native},
      {{}, {.cuda_settings = "backend:native", .settings = "backend:cudaMallocAsync"}, native}};
  for (const auto& one : cases) {
    EXPECT_EQ(needed_settings(one.config, one.environment), one.needed);
  }
}

TEST(AllocatorSettings, OnceAppliedAreNotNeededAgain) {
  for (const CudaConfig& config :
       {CudaConfig{}, CudaConfig{.expandable_segments = true}, CudaConfig{.allocator = kOther}}) {
    const std::string text = with_allocator_of(config, "max_split_size_mb:64");
    EXPECT_EQ(needed_settings(config, {.cuda_settings = text, .settings = text}), std::nullopt)
        << text;
  }
}

TEST(AllocatorSettings, AnAllocatorThatLibTorchDidNotTakeIsUnavailable) {
  const std::optional<std::string> active = active_allocator();
  if (!active) GTEST_SKIP() << "this LibTorch was built without CUDA";
  const CudaConfig native{};
  const CudaConfig other{.allocator = kOther};
  const bool is_native = *active == allocator_name(CudaAllocator::kNative);

  EXPECT_NO_THROW(require_allocator(is_native ? native : other));
  EXPECT_THROW(require_allocator(is_native ? other : native), UnavailableError);
}

using ::testing::ElementsAre;
using train::LoopPhase;

TEST(LoopRanges, HoldTheirPhasesInTheirOrderAndAreClosedByTheNextBatchOrTheEnd) {
  std::vector<std::string> written;
  auto ranges = make_loop_ranges({.open = [&](const char* name) { written.emplace_back(name); },
                                  .close = [&] { written.emplace_back("end"); }});
  const auto enter = [&](const std::vector<LoopPhase>& phases) {
    for (const LoopPhase phase : phases) ranges->on_phase(phase, Clock::now());
    return std::exchange(written, {});
  };
  EXPECT_THAT(enter({LoopPhase::kWaitBefore, LoopPhase::kData, LoopPhase::kIssue,
                     LoopPhase::kIssueBackward, LoopPhase::kWaitAfter, LoopPhase::kBatchEnd}),
              ElementsAre("batch", "wait", "end", "data", "end", "issue", "end", "issue backward",
                          "end", "wait", "end", "end"));
  EXPECT_THAT(enter({LoopPhase::kWaitBefore, LoopPhase::kData, LoopPhase::kWaitBefore}),
              ElementsAre("batch", "wait", "end", "data", "end", "end", "batch", "wait"));
  ranges.reset();
  EXPECT_THAT(written, ElementsAre("end", "end"));
  EXPECT_THROW(static_cast<void>(make_loop_ranges({})), UsageError);
  EXPECT_THROW(static_cast<void>(make_loop_ranges({.close = [] {}})), UsageError);
}

}  // namespace without_a_gpu_test
}  // namespace runahead::cuda
