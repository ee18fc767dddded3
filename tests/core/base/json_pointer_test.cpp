#include "core/base/json_pointer.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace runahead {
namespace {

using Keys = std::vector<std::string>;

TEST(JsonPointer, SplitsIntoKeys) {
  EXPECT_EQ(split_pointer(""), Keys{});
  EXPECT_EQ(split_pointer("/data/features"), (Keys{"data", "features"}));
  EXPECT_EQ(split_pointer("/"), Keys{""});
  EXPECT_EQ(split_pointer("/a~1b/~01"), (Keys{"a/b", "~1"}));
}

TEST(JsonPointer, RefusesWhatIsMalformed) {
  EXPECT_THROW(static_cast<void>(split_pointer("data")), ConfigError);
  EXPECT_THROW(static_cast<void>(split_pointer("/a~")), ConfigError);
  EXPECT_THROW(static_cast<void>(split_pointer("/a~2")), ConfigError);
}

TEST(JsonPointer, HasNoMoreKeysThanADocumentIsDeep) {
  std::string pointer;
  for (int key = 0; key < 64; ++key) pointer += "/a";
  EXPECT_EQ(split_pointer(pointer).size(), 64u);
  EXPECT_THROW(static_cast<void>(split_pointer(pointer + "/")), ConfigError);
}

TEST(JsonPointer, ChildOfAKeySplitsBack) {
  EXPECT_EQ(child_pointer("/a", "b/c~d"), "/a/b~1c~0d");
  EXPECT_EQ(split_pointer(child_pointer("", "~1/")), Keys{"~1/"});
}

}  // namespace
}  // namespace runahead
