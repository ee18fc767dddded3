#include "apps/runahead/json_list.h"

#include <gtest/gtest.h>

#include <sstream>

namespace runahead::apps {
namespace {

Json printed(const Json& members, std::size_t count) {
  std::ostringstream out;
  print_with_list(out, members, "squares", count, [](std::size_t index) { return index * index; });
  return parse_json(out.str(), "printed");
}

TEST(JsonList, IsOneDocument) {
  EXPECT_EQ(printed({{"a \"name\"", 1}, {"b", Json::array()}}, 3),
            Json({{"a \"name\"", 1}, {"b", Json::array()}, {"squares", {0, 1, 4}}}));
  EXPECT_EQ(printed(Json::object(), 0), Json({{"squares", Json::array()}}));
}

}  // namespace
}  // namespace runahead::apps
