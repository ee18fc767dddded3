#include "core/engine/inline_vector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace runahead::engine::test {
namespace {

using ::testing::ElementsAre;
using Vector = InlineVector<std::shared_ptr<int>, 2>;

class InlineVectorTest : public ::testing::TestWithParam<int> {
 protected:
  Vector make() const {
    Vector vector;
    for (int i = 0; i < GetParam(); ++i) vector.push_back(shared_);
    return vector;
  }
  std::shared_ptr<int> shared_ = std::make_shared<int>(1);
  const long held_ = 1 + GetParam();
};

TEST_P(InlineVectorTest, OwnsItsElements) {
  {
    const Vector vector = make();
    EXPECT_EQ(vector.size(), static_cast<std::size_t>(GetParam()));
    EXPECT_EQ(shared_.use_count(), held_);
  }
  EXPECT_EQ(shared_.use_count(), 1);
}

TEST_P(InlineVectorTest, MovesLeaveNothingBehind) {
  Vector vector = make();
  Vector moved = std::move(vector);
  EXPECT_TRUE(vector.empty());
  EXPECT_EQ(shared_.use_count(), held_);
  vector = std::move(moved);
  EXPECT_EQ(vector.size(), static_cast<std::size_t>(GetParam()));
  vector.push_back(nullptr);

  EXPECT_EQ(shared_.use_count(), held_);
}

TEST_P(InlineVectorTest, AssignmentDropsTheOldElements) {
  Vector vector = make();
  vector = Vector();

  EXPECT_EQ(shared_.use_count(), 1);
}

TEST_P(InlineVectorTest, ClearKeepsOnlyTheCapacityAskedFor) {
  Vector vector = make();
  const std::size_t capacity = vector.capacity();
  vector.clear(capacity);
  EXPECT_EQ(vector.capacity(), capacity);
  EXPECT_EQ(shared_.use_count(), 1);
  vector.push_back(shared_);
  vector.clear();

  EXPECT_EQ(vector.capacity(), 2U);
}

INSTANTIATE_TEST_SUITE_P(InlineAndOnTheHeap, InlineVectorTest, ::testing::Values(0, 1, 2, 3, 9));

TEST(InlineVector, TakesAnInitializerList) {
  const InlineVector<int, 2> few{1, 2};
  const InlineVector<int, 2> many{1, 2, 3, 4, 5};

  EXPECT_THAT(few, ElementsAre(1, 2));
  EXPECT_THAT(many, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(many[4], 5);
}

TEST(InlineVector, PushesAnElementOfItself) {
  InlineVector<std::shared_ptr<int>, 1> vector{std::make_shared<int>(3)};
  vector.push_back(vector[0]);

  EXPECT_EQ(vector[0], vector[1]);
}

}  // namespace
}  // namespace runahead::engine::test
