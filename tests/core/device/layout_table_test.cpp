#include "core/device/layouts/layout_table.h"

#include <set>
#include <thread>
#include <vector>

#include "core/device/device_fixture.h"

namespace runahead::device {
namespace {

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
                                              table.find(torch::ones({3, 4}).slice(1, 0, 3))};

  EXPECT_EQ(layouts.size(), 4);
  EXPECT_FALSE(layouts.contains(nullptr));
}

TEST(LayoutTable, TakesNoLayoutWithAnOffset) {
  LayoutTable table;
  const at::Tensor slice = torch::ones({4, 3}).slice(0, 1);
  const LayoutReference layout = LayoutReference::of(table, slice);

  EXPECT_EQ(table.find(slice), nullptr);
  EXPECT_TRUE(layout.is_own());
  EXPECT_TRUE(layout->describes(slice));
}

TEST(LayoutTable, IsBounded) {
  LayoutTable table;

  EXPECT_LE(fill(table).size(), LayoutTable::kSlots);
}

TEST(LayoutTable, WhenFullGoesOnFindingWhatItKnowsAndTakesNothingNew) {
  LayoutTable table;
  const TensorLayout* known = table.find_contiguous({2, 3}, at::kFloat);
  fill(table);

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

/// The device once it has no place left for a new layout.
class FullLayoutTable : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    fill(Runtime::get().known_layouts);
  }
};

TEST_F(FullLayoutTable, ABlocksFirstLayoutIsThatOfItsFirstTensor) {
  const at::Tensor x = torch::ones({41, 3}).to(acpu_);
  const at::Tensor y = x + 1;
  ASSERT_EQ(Runtime::get().known_layouts.find(y), nullptr);

  ASSERT_NE(block_of(y).first_layout(), nullptr);
  EXPECT_TRUE(block_of(y).first_layout()->describes(y));
  EXPECT_EQ(y[1].sum().item<float>(), 6.0F);
  EXPECT_TRUE(block_of(y).first_layout()->describes(y));
  y[1].add_(1);
  at::Tensor expected = torch::full({41, 3}, 2.0F);
  expected[1].fill_(3);
  EXPECT_TRUE(is_bit_equal(y, expected));
}

TEST_F(FullLayoutTable, ABlockMayKeepTheLayoutOfAPart) {
  at::Tensor x = torch::empty({43, 3}, acpu_);
  const at::Tensor row = x[2];
  row.fill_(5);
  ASSERT_NE(block_of(x).first_layout(), nullptr);
  EXPECT_TRUE(block_of(x).first_layout()->describes(row));
  x.slice(0, 0, 2).zero_();
  x.slice(0, 3).zero_();

  EXPECT_EQ(x.sum().item<float>(), 15.0F);
  EXPECT_EQ(x[2].sum().item<float>(), 15.0F);
}

}  // namespace
}  // namespace runahead::device
