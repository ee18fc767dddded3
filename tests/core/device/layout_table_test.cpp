#include "core/device/layout_table.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <set>
#include <thread>
#include <vector>

namespace runahead::device {
namespace {

TEST(LayoutTable, KeepsOneCopyOfEqualLayouts) {
  LayoutTable table;
  const TensorLayout* first = table.find(torch::ones({2, 3}));

  EXPECT_EQ(table.find(torch::zeros({2, 3})), first);
  EXPECT_EQ(table.find_contiguous({2, 3}, at::kFloat), first);
  EXPECT_EQ(c10::IntArrayRef(first->sizes), c10::IntArrayRef({2, 3}));
}

TEST(LayoutTable, TellsLayoutsOfOneShapeApart) {
  LayoutTable table;
  const at::Tensor square = torch::ones({3, 3});
  const std::set<const TensorLayout*> layouts{table.find(square), table.find(square.t()),
                                              table.find(square.to(at::kDouble)),
                                              table.find(torch::ones({4, 3}).slice(0, 1))};

  EXPECT_EQ(layouts.size(), 4);
}

TEST(LayoutTable, TakesNoMoreThanItsCapacity) {
  LayoutTable table;
  for (std::size_t i = 0; i < LayoutTable::kCapacity; ++i) {
    ASSERT_NE(table.find_contiguous({static_cast<std::int64_t>(i)}, at::kFloat), nullptr);
  }

  EXPECT_EQ(table.find_contiguous({-1}, at::kFloat), nullptr);
  EXPECT_NE(table.find_contiguous({5}, at::kFloat), nullptr);
  EXPECT_EQ(*LayoutReference::contiguous(table, {7, 7}, at::kFloat)->sizes.begin(), 7);
}

TEST(LayoutTable, GivesManyThreadsTheSameCopies) {
  LayoutTable table;
  constexpr std::int64_t kLayouts = 500;
  std::vector<std::vector<const TensorLayout*>> found(4);
  std::vector<std::thread> threads;
  for (auto& mine : found) {
    threads.emplace_back([&] {
      for (std::int64_t i = 0; i < kLayouts; ++i) {
        mine.push_back(table.find_contiguous({i, 2}, at::kFloat));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  for (const auto& other : found) EXPECT_EQ(other, found[0]);
}

}  // namespace
}  // namespace runahead::device
