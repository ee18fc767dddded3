#include "core/engine/submission_queue.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "core/engine/operation_node.h"

namespace runahead::engine::test {
namespace {

constexpr std::size_t kOperations = 5000;

class SubmissionQueueTest : public ::testing::Test {
 protected:
  void append(std::size_t index) {
    queue_.reserve();
    queue_.append(nodes_[index]);
  }
  std::vector<OperationNode> nodes_ = std::vector<OperationNode>(kOperations);
  SubmissionQueue queue_;
};

TEST_F(SubmissionQueueTest, IsEmptyAtFirst) {
  EXPECT_TRUE(queue_.empty());
  EXPECT_FALSE(queue_.look());
  EXPECT_EQ(queue_.take(), nullptr);
}

TEST_F(SubmissionQueueTest, TakesOnlyWhatALookHasSeen) {
  append(0);
  EXPECT_FALSE(queue_.empty());
  EXPECT_EQ(queue_.take(), nullptr);
  EXPECT_TRUE(queue_.look());
  append(1);

  EXPECT_EQ(queue_.take(), &nodes_[0]);
  EXPECT_EQ(queue_.take(), nullptr);
  EXPECT_TRUE(queue_.look());
  EXPECT_EQ(queue_.take(), &nodes_[1]);
}

TEST_F(SubmissionQueueTest, GivesBackInOrder) {
  for (std::size_t i = 0; i < kOperations; ++i) append(i);

  EXPECT_TRUE(queue_.look());
  for (std::size_t i = 0; i < kOperations; ++i) ASSERT_EQ(queue_.take(), &nodes_[i]);
  EXPECT_EQ(queue_.take(), nullptr);
  EXPECT_TRUE(queue_.empty());
}

TEST_F(SubmissionQueueTest, KeepsTheOrderBetweenTwoThreads) {
  std::thread appending([this] {
    for (std::size_t i = 0; i < kOperations; ++i) append(i);
  });
  std::vector<OperationNode*> taken;
  while (taken.size() < kOperations) {
    if (OperationNode* const node = queue_.take()) {
      taken.push_back(node);
    } else if (!queue_.look()) {
      std::this_thread::yield();
    }
  }
  appending.join();

  for (std::size_t i = 0; i < kOperations; ++i) ASSERT_EQ(taken[i], &nodes_[i]);
}

TEST_F(SubmissionQueueTest, MayBeDestroyedWithSomethingInIt) {
  for (std::size_t i = 0; i < kOperations; ++i) append(i);
  queue_.look();
  for (std::size_t i = 0; i < kOperations / 2; ++i) queue_.take();

  EXPECT_FALSE(queue_.empty());
}

}  // namespace
}  // namespace runahead::engine::test
