#include "apps/runahead/text_table.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace runahead::apps {
namespace {

using Align = TextTable::Align;

TEST(TextTable, AlignsItsColumns) {
  TextTable table({{"policy", Align::kLeft}, {"s", Align::kRight}});
  table.add_row({"none", "1.5"});
  table.add_row({"every_batch", "12.25"});

  EXPECT_EQ(table.to_string(),
            "policy           s\n"
            "-----------  -----\n"
            "none           1.5\n"
            "every_batch  12.25\n");
}

TEST(TextTable, CountsCharactersNotBytes) {
  TextTable table({{"x"}, {"y"}});
  table.add_row({"µs", "1"});
  table.add_row({"abc", "2"});

  EXPECT_EQ(table.to_string(), "  x  y\n---  -\n µs  1\nabc  2\n");
}

TEST(TextTable, EndsNoLineWithSpaces) {
  TextTable table({{"name", Align::kLeft}, {"note", Align::kLeft}});
  table.add_row({"a", ""});

  EXPECT_EQ(table.to_string(), "name  note\n----  ----\na\n");
}

TEST(TextTable, RefusesARowOfAnotherWidth) {
  TextTable table({{"only"}});

  EXPECT_THROW(table.add_row({"a", "b"}), UsageError);
}

}  // namespace
}  // namespace runahead::apps
