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

TEST(TextTable, CountsCharactersAndEndsNoLineWithSpaces) {
  TextTable table({{"x"}, {"note", Align::kLeft}});
  table.add_row({"µs", "1"});
  table.add_row({"abc", ""});

  EXPECT_EQ(table.to_string(), "  x  note\n---  ----\n µs  1\nabc\n");
  EXPECT_THROW(table.add_row({"a"}), UsageError);
}

}  // namespace
}  // namespace runahead::apps
