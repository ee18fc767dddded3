#include "core/memory/heap.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "core/memory/process_probe.h"

namespace runahead::memory {
namespace {

TEST(ConfigureMalloc, LargeBlocksLeaveTheProcessWhenFreed) {
  const std::string text = configure_malloc(65536);
  if (text == "sanitizer" || text == "not glibc") {
    GTEST_SKIP() << "malloc is another's: " << text;
  }
  const ProcessProbe probe;
  const std::uint64_t before = probe.rss_bytes().value();
  std::vector<std::unique_ptr<std::vector<char>>> blocks;
  for (int i = 0; i < 64; ++i) blocks.push_back(std::make_unique<std::vector<char>>(1 << 20, 'x'));
  EXPECT_GE(probe.rss_bytes().value(), before + 60'000'000);

  // The last block keeps the heap's top from being trimmed, were they in the heap.
  blocks.erase(blocks.begin(), blocks.end() - 1);
  EXPECT_LT(probe.rss_bytes().value(), before + 8'000'000);
}

TEST(HeapProbe, SeesBlocksInUseAndThenFree) {
  const std::unique_ptr<Probe> probe = make_heap_probe();
  std::array<Reading, 2> before{};
  probe->read(before);
  if (!before[0]) GTEST_SKIP() << "malloc is another's";
  std::array<Reading, 2> in_use{};
  std::array<Reading, 2> freed{};
  {
    std::vector<std::unique_ptr<std::array<char, 8000>>> blocks;
    for (int i = 0; i < 1000; ++i) blocks.push_back(std::make_unique<std::array<char, 8000>>());
    const auto keep_the_top = std::make_unique<std::array<char, 8000>>();
    asm volatile("" : : "r"(keep_the_top.get()) : "memory");  // Else it is optimised away.
    probe->read(in_use);
    blocks.clear();
    probe->read(freed);
  }
  EXPECT_GE(in_use[0].value(), before[0].value() + 8'000'000);
  EXPECT_LT(freed[0].value(), in_use[0].value() - 7'000'000);
  EXPECT_GE(freed[1].value(), in_use[1].value() + 7'000'000);
}

TEST(TrimHeap, ReturnsFreedSmallBlocks) {
  if (configure_malloc(65536) == "sanitizer") GTEST_SKIP() << "malloc is the sanitizer's";
  const ProcessProbe probe;
  std::vector<std::unique_ptr<std::vector<char>>> blocks;
  for (int i = 0; i < 4096; ++i) {
    blocks.push_back(std::make_unique<std::vector<char>>(16'000, 'x'));
  }
  const auto keep_the_top = std::make_unique<std::vector<char>>(16'000, 'x');
  blocks.clear();
  const std::uint64_t before = probe.rss_bytes().value();

  trim_heap();

  EXPECT_LT(probe.rss_bytes().value(), before - 40'000'000);
}

}  // namespace
}  // namespace runahead::memory
