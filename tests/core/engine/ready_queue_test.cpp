#include "core/engine/ready_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

namespace runahead::engine::test {
namespace {

class ReadyQueueTest : public ::testing::Test {
 protected:
  void push(ReadyQueue& queue, std::uint64_t sequence, int priority = 0) {
    OperationNode& node = nodes_.emplace_back();
    node.sequence = sequence;
    node.priority = priority;
    queue.push(node);
  }
  static std::vector<std::uint64_t> pop_all(ReadyQueue& queue) {
    std::vector<std::uint64_t> sequences;
    while (const OperationNode* const node = queue.pop()) sequences.push_back(node->sequence);
    return sequences;
  }

 private:
  std::deque<OperationNode> nodes_;
};

using Sequences = std::vector<std::uint64_t>;

TEST_F(ReadyQueueTest, IsEmptyAtFirst) {
  ReadyQueue queue(ReadyOrder::kOldestFirst);

  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.pop(), nullptr);
}

TEST_F(ReadyQueueTest, FirstReadyKeepsTheOrderOfArrival) {
  ReadyQueue queue(ReadyOrder::kFirstReady);
  for (const std::uint64_t sequence : {3U, 1U, 2U}) push(queue, sequence);

  EXPECT_EQ(pop_all(queue), (Sequences{3, 1, 2}));
}

TEST_F(ReadyQueueTest, OldestFirstSorts) {
  ReadyQueue queue(ReadyOrder::kOldestFirst);
  for (const std::uint64_t sequence : {3U, 1U, 5U, 2U, 4U}) push(queue, sequence);

  EXPECT_EQ(queue.size(), 5U);
  EXPECT_EQ(pop_all(queue), (Sequences{1, 2, 3, 4, 5}));
}

TEST_F(ReadyQueueTest, PrioritiesComeFirstInBothOrders) {
  for (const ReadyOrder order : {ReadyOrder::kFirstReady, ReadyOrder::kOldestFirst}) {
    ReadyQueue queue(order);
    push(queue, 1, -2);
    push(queue, 2);
    push(queue, 3, 5);
    push(queue, 4);

    EXPECT_EQ(pop_all(queue), (Sequences{3, 2, 4, 1}));
  }
}

TEST_F(ReadyQueueTest, EqualsASortedListUnderRandomUse) {
  std::mt19937_64 random(1);
  ReadyQueue queue(ReadyOrder::kOldestFirst);
  queue.reserve(1000);
  std::vector<std::pair<int, std::uint64_t>> expected;  // Priority, negated, and sequence.
  for (std::uint64_t sequence = 1; sequence <= 1000; ++sequence) {
    const int priority = static_cast<int>(random() % 3);
    const std::uint64_t shuffled = (sequence * 389) % 1009;
    push(queue, shuffled, priority);
    expected.emplace_back(-priority, shuffled);
    if (random() % 2 == 0) {
      const auto first = std::min_element(expected.begin(), expected.end());
      ASSERT_EQ(queue.pop()->sequence, first->second);
      expected.erase(first);
    }
  }
  EXPECT_EQ(queue.size(), expected.size());
}

TEST_F(ReadyQueueTest, GrowsWithItsEntriesInOrder) {
  ReadyQueue queue(ReadyOrder::kOldestFirst);
  for (std::uint64_t sequence = 1; sequence <= 60; ++sequence) push(queue, sequence);
  for (int i = 0; i < 50; ++i) queue.pop();
  for (std::uint64_t sequence = 61; sequence <= 100; ++sequence) push(queue, sequence);
  queue.reserve(queue.capacity() + 1);

  const Sequences rest = pop_all(queue);
  EXPECT_EQ(rest.size(), 50U);
  EXPECT_TRUE(std::is_sorted(rest.begin(), rest.end()));
}

}  // namespace
}  // namespace runahead::engine::test
