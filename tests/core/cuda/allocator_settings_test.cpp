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

}  // namespace allocator_settings_test
}  // namespace runahead::cuda
