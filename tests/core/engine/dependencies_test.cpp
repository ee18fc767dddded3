#include "core/engine/dependencies.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "core/engine/engine_kinds.h"

// The hazards without any thread: operations are added and completed by hand.
namespace runahead::engine::test {
namespace {

class Dependencies : public ::testing::Test {
 protected:
  /// Adds the next operation; its number counts from 1.
  OperationNode& add(AccessList accesses) {
    OperationNode& node = nodes_.emplace_back();
    Operation operation{.accesses = std::move(accesses)};
    node.assign(operation, nodes_.size(), this);
    is_ready_ = add_operation(node);
    return node;
  }
  /// Completes `node`; the numbers of the operations that became ready thereby.
  std::string complete(OperationNode& node) {
    OperationList ready;
    complete_operation(node, ready);
    std::string numbers;
    while (const OperationNode* const next = ready.pop_front()) {
      numbers += std::to_string(next->sequence) + " ";
    }
    return numbers;
  }
  static void fail(OperationNode& node) {
    node.failure = std::make_shared<Failure>();
    node.failure->sequence = node.sequence;
  }

  bool is_ready_ = false;
  const VariablePtr x_ = make_variable();
  const VariablePtr y_ = make_variable();

 private:
  std::deque<OperationNode> nodes_;
};

TEST_F(Dependencies, WithoutHazardsAllAreReady) {
  add({});
  EXPECT_TRUE(is_ready_);
  add({writes(x_)});
  EXPECT_TRUE(is_ready_);
  add({reads(y_)});
  EXPECT_TRUE(is_ready_);
}

TEST_F(Dependencies, ReadsRunTogetherAfterTheWriteBeforeThem) {
  OperationNode& write = add({writes(x_)});
  add({reads(x_)});
  EXPECT_FALSE(is_ready_);
  add({reads(x_)});
  EXPECT_FALSE(is_ready_);

  EXPECT_EQ(complete(write), "2 3 ");
}

TEST_F(Dependencies, AWriteWaitsForAllReadsBeforeIt) {
  OperationNode& first = add({reads(x_)});
  OperationNode& second = add({reads(x_)});
  add({overwrites(x_)});
  EXPECT_FALSE(is_ready_);

  EXPECT_EQ(complete(second), "");
  EXPECT_EQ(complete(first), "3 ");
}

TEST_F(Dependencies, AReadNeverOvertakesAWaitingWrite) {
  OperationNode& read = add({reads(x_)});
  OperationNode& write = add({writes(x_)});
  add({reads(x_)});
  EXPECT_FALSE(is_ready_);

  EXPECT_EQ(complete(read), "2 ");
  EXPECT_EQ(complete(write), "3 ");
}

TEST_F(Dependencies, WritesRunOneByOne) {
  OperationNode& first = add({writes(x_)});
  OperationNode& second = add({writes(x_)});
  add({writes(x_)});

  EXPECT_EQ(complete(first), "2 ");
  EXPECT_EQ(complete(second), "3 ");
}

TEST_F(Dependencies, AnOperationNeedsAllItsGrants) {
  OperationNode& x = add({writes(x_)});
  OperationNode& y = add({writes(y_)});
  add({reads(x_), reads(y_)});

  EXPECT_EQ(complete(x), "");
  EXPECT_EQ(complete(y), "3 ");
}

TEST_F(Dependencies, ListedInDifferentModesAVariableIsChanged) {
  EXPECT_EQ(add({reads(x_), reads(x_)}).accesses[0].mode, AccessMode::kRead);
  EXPECT_EQ(add({overwrites(x_), overwrites(x_)}).accesses[0].mode, AccessMode::kOverwrite);
  EXPECT_EQ(add({reads(x_), overwrites(x_)}).accesses[0].mode, AccessMode::kWrite);
  EXPECT_EQ(add({overwrites(x_), writes(x_)}).accesses[0].mode, AccessMode::kWrite);
  EXPECT_EQ(add({reads(y_), writes(x_), reads(y_), reads(x_)}).accesses.size(), 2U);
}

TEST_F(Dependencies, WhatOnlyTakesItsTurnIsOrderedAsAWrite) {
  OperationNode& read = add({reads(x_)});
  OperationNode& first = add({orders(x_)});
  EXPECT_FALSE(is_ready_);
  OperationNode& second = add({orders(x_)});
  OperationNode& write = add({writes(x_)});
  OperationNode& third = add({orders(x_)});
  add({reads(x_)});

  EXPECT_EQ(complete(read), "2 ");
  EXPECT_EQ(complete(first), "3 ");
  EXPECT_EQ(complete(second), "4 ");
  EXPECT_EQ(complete(write), "5 ");
  EXPECT_EQ(complete(third), "6 ");
}

TEST_F(Dependencies, WhatOnlyTakesItsTurnNeitherSetsNorClearsNorPassesOnPoison) {
  OperationNode& spared = add({orders(x_)});
  fail(spared);
  complete(spared);
  EXPECT_EQ(add({reads(x_)}).failure, nullptr);

  OperationNode& failing = add({writes(y_)});
  fail(failing);
  complete(failing);
  OperationNode& ordered = add({orders(y_)});
  EXPECT_EQ(ordered.failure, nullptr);
  complete(ordered);
  EXPECT_EQ(add({reads(y_)}).failure, failing.failure);
}

TEST_F(Dependencies, PoisonReachesWhatWaitsAndWhatComesLater) {
  OperationNode& failing = add({writes(x_)});
  OperationNode& waiting = add({reads(x_), writes(y_)});
  fail(failing);
  complete(failing);
  EXPECT_EQ(waiting.failure, failing.failure);
  complete(waiting);

  EXPECT_EQ(add({reads(y_)}).failure, failing.failure);
}

TEST_F(Dependencies, OverwritingKeepsTheDisplacedPoisonForLater) {
  OperationNode& failing = add({writes(x_)});
  fail(failing);
  complete(failing);
  OperationNode& overwriting = add({overwrites(x_)});
  EXPECT_EQ(overwriting.failure, nullptr);
  complete(overwriting);

  ASSERT_EQ(overwriting.displaced.size(), 1U);
  EXPECT_EQ(overwriting.displaced[0], failing.failure);
  EXPECT_EQ(add({reads(x_)}).failure, nullptr);
}

}  // namespace
}  // namespace runahead::engine::test
