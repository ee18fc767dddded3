#include "core/device/layouts/layout_table.h"

#include <set>
#include <thread>
#include <vector>

#include "core/device/device_fixture.h"

namespace runahead::device {
namespace layout_table_test {

/// Leaves no place in the table for a layout that it does not know. @return what it took.
std::set<const TensorLayout*> fill(LayoutTable& table) {
  constexpr auto kLayouts = static_cast<std::int64_t>(16 * LayoutTable::kSlots);
  std::set<const TensorLayout*> taken;
  for (std::int64_t i = 1; i <= kLayouts; ++i) {
    taken.insert(table.find_contiguous({i, 1, 1}, at::kFloat));
  }
  taken.erase(nullptr);
  return taken;
}

TEST(LayoutTable, KeepsOneCopyOfEqualLayoutsAndDistinguishesThoseOfOneShape) {
  LayoutTable table;
  const at::Tensor square = torch::ones({3, 3});
  const std::set<const TensorLayout*> layouts{table.find(square), table.find(square.t()),
                                              table.find(square.to(at::kDouble)),
                                              table.find(torch::ones({3, 4}).slice(1, 0, 3))};

  EXPECT_EQ(layouts.size(), 4);
  EXPECT_FALSE(layouts.contains(nullptr));
  EXPECT_EQ(table.find(torch::zeros({3, 3})), table.find(square));
  EXPECT_EQ(table.find_contiguous({3, 3}, at::kFloat), table.find(square));
  EXPECT_EQ(c10::IntArrayRef(table.find(square)->sizes), c10::IntArrayRef({3, 3}));
}

TEST(LayoutTable, TakesNoLayoutWithAnOffset) {
  LayoutTable table;
  const at::Tensor slice = torch::ones({4, 3}).slice(0, 1);
  const LayoutReference layout = LayoutReference::of(table, slice);

  EXPECT_EQ(table.find(slice), nullptr);
  EXPECT_TRUE(layout.is_own());
  EXPECT_TRUE(layout->describes(slice));
}

TEST(LayoutTable, WhenFullGoesOnFindingWhatItKnowsAndTakesNothingNew) {
  LayoutTable table;
  const TensorLayout* known = table.find_contiguous({2, 3}, at::kFloat);

  EXPECT_LE(fill(table).size(), LayoutTable::kSlots);
  EXPECT_EQ(table.find(torch::ones({2, 3})), known);
  EXPECT_FALSE(LayoutReference::contiguous(table, {2, 3}, at::kFloat).is_own());
  EXPECT_EQ(table.find_contiguous({3, 2}, at::kFloat), nullptr);
  EXPECT_EQ(table.find(torch::ones({3, 2})), nullptr);
}

TEST(LayoutTable, WhatItDoesNotTakeIsTheReferencesOwn) {
  LayoutTable table;
  fill(table);
  const at::Tensor transposed = torch::ones({5, 7}).t();
  const LayoutReference contiguous = LayoutReference::contiguous(table, {5, 7}, at::kFloat);
  LayoutReference of_tensor = LayoutReference::of(table, transposed);

  EXPECT_TRUE(contiguous.is_own());
  EXPECT_TRUE(contiguous->is_contiguous_of({5, 7}, at::kFloat));
  ASSERT_TRUE(of_tensor.is_own());
  const std::unique_ptr<const TensorLayout> handed_over = of_tensor.hand_over();
  EXPECT_FALSE(of_tensor.is_own());
  EXPECT_EQ(&*of_tensor, handed_over.get());
  EXPECT_TRUE(handed_over->describes(transposed));
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

}  // namespace layout_table_test
}  // namespace runahead::device
