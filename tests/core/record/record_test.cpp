// How records are kept in files, and which are refused, is in
// tests/apps/runahead/golden/records.txt.

#include "core/record/record.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/scratch_folder.h"
#include "core/record/record_file.h"

namespace runahead::record {
namespace {

// As readers of the format expect it, literally, with a value for every key.
TEST(Record, IsWrittenAsItIsRead) {
  const Json example = read_json_file(RUNAHEAD_SOURCE_FOLDER "/tests/data/record.json");

  EXPECT_EQ(to_json(from_json(example, "example")).dump(2), example.dump(2));
}

TEST(Record, IsNeverWrittenOverAnother) {
  const ScratchFolder folder;
  write_record(folder.path() / "cell" / "record.json", Record{.repeat = 3});

  EXPECT_THROW(write_record(folder.path() / "cell" / "record.json", Record{.repeat = 4}), Error);
  EXPECT_EQ(read_record(folder.path() / "cell" / "record.json").repeat, 3);
}

}  // namespace
}  // namespace runahead::record
