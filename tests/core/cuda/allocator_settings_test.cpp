#include "core/cuda/allocator_settings.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/cuda/active_allocator.h"

namespace runahead::cuda {
namespace allocator_settings_test {

using config::CudaAllocator;
using config::CudaConfig;

constexpr CudaAllocator kOther = CudaAllocator::kCudaMallocAsync;

TEST(AllocatorSettings, SayWhatTheConfigAsksFor) {
  EXPECT_EQ(with_allocator_of({}, ""), "backend:native,expandable_segments:False");
  EXPECT_EQ(with_allocator_of({.expandable_segments = true}, ""),
            "backend:native,expandable_segments:True");
  EXPECT_EQ(with_allocator_of({.allocator = kOther}, ""), "backend:cudaMallocAsync");
}

TEST(AllocatorSettings, KeepOptionsThatTheConfigDoesNotDecide) {
  EXPECT_EQ(with_allocator_of({},
                              "max_split_size_mb:128, backend:cudaMallocAsync,"
                              "roundup_power2_divisions:[256:1,>:2]"),
            "backend:native,expandable_segments:False,max_split_size_mb:128,"
            "roundup_power2_divisions:[256:1,>:2]");
}

TEST(AllocatorSettings, AreNotNeededForTheDefaultsInAnUntouchedEnvironment) {
  EXPECT_EQ(needed_settings({}, {}), std::nullopt);
}

TEST(AllocatorSettings, AreNotNeededWhereTheEnvironmentSaysTheSame) {
  EXPECT_EQ(needed_settings({.allocator = kOther}, {.settings = "backend:cudaMallocAsync"}),
            std::nullopt);
  EXPECT_EQ(needed_settings({.expandable_segments = true},
                            {.cuda_settings = "max_split_size_mb:64, expandable_segments: True"}),
            std::nullopt);
  EXPECT_EQ(needed_settings({}, {.cuda_settings = "max_split_size_mb:64", .settings = ""}),
            std::nullopt);
}

TEST(AllocatorSettings, AreNeededWhereTheConfigAsksForMore) {
  EXPECT_EQ(needed_settings({.allocator = kOther}, {}), "backend:cudaMallocAsync");
  EXPECT_EQ(needed_settings({.expandable_segments = true}, {.settings = "max_split_size_mb:64"}),
            "backend:native,expandable_segments:True,max_split_size_mb:64");
}

TEST(AllocatorSettings, AreNeededWhereTheEnvironmentSaysOtherwise) {
  EXPECT_EQ(needed_settings({}, {.settings = "backend:cudaMallocAsync"}),
            "backend:native,expandable_segments:False");
  EXPECT_EQ(needed_settings({}, {.cuda_settings = "expandable_segments:True"}),
            "backend:native,expandable_segments:False");
}

TEST(AllocatorSettings, AreNeededWhereTheTwoVariablesDisagree) {
  EXPECT_EQ(needed_settings(
                {}, {.cuda_settings = "backend:native", .settings = "backend:cudaMallocAsync"}),
            "backend:native,expandable_segments:False");
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

}  // namespace allocator_settings_test
}  // namespace runahead::cuda
