// How records are kept in files, and which are refused, is in
// tests/apps/runahead/golden/records.txt.

#include "core/record/record.h"

#include <gtest/gtest.h>

namespace runahead::record {
namespace {

// As readers of the format expect it, literally, with a value for every key.
TEST(Record, IsWrittenAsItIsRead) {
  const Json example = read_json_file(RUNAHEAD_SOURCE_FOLDER "/tests/data/record.json");

  EXPECT_EQ(to_json(from_json(example, "example")).dump(2), example.dump(2));
}

}  // namespace
}  // namespace runahead::record
