#include "core/base/nearest.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace runahead {
namespace {

TEST(EditDistance, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("batchsize", "batch_size"), 1u);
  EXPECT_EQ(edit_distance("trian", "train"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("SGD", "sgd"), 0u);
}

TEST(EditDistance, LooksAtABoundedLength) {
  EXPECT_LE(edit_distance(std::string(100'000, 'a'), std::string(100'000, 'b')), 256u);
}

TEST(NearestName, IsTheFirstOfTheNearest) {
  EXPECT_EQ(nearest_name("batch", {"features", "batches", "batch_size"}), "batches");
  EXPECT_EQ(nearest_name("x", {"a", "b"}), "a");
  EXPECT_THROW(static_cast<void>(nearest_name("x", {})), UsageError);
}

}  // namespace
}  // namespace runahead
