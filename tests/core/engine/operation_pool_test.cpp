#include "core/engine/operation_pool.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace runahead::engine::test {
namespace {

TEST(OperationPool, RecyclesWhatIsGivenBack) {
  OperationPool pool;
  OperationNode* const first = pool.take().release();
  pool.give_back(first);

  EXPECT_EQ(pool.take().get(), first);
}

TEST(OperationPool, KeepsABoundedNumberOfSpareNodes) {
  OperationPool pool;
  std::vector<OperationNode*> nodes;
  for (std::size_t i = 0; i < OperationPool::kMostSpare + 100; ++i) {
    nodes.push_back(pool.take().release());
  }
  for (OperationNode* const node : nodes) pool.give_back(node);

  EXPECT_EQ(pool.spare_count(), OperationPool::kMostSpare);
}

}  // namespace
}  // namespace runahead::engine::test
