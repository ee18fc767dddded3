#include <gtest/gtest.h>

#include <filesystem>
#include <latch>
#include <thread>

#include "core/base/error.h"
#include "core/base/scratch_folder.h"
#include "core/record/cell_progress.h"
#include "core/record/record.h"
#include "core/record/record_file.h"
#include "support/text_file.h"

namespace runahead::record {
namespace {

// How records are kept in files, and which are refused, is in
// tests/apps/runahead/golden/records.txt.

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

class CellProgressTest : public ::testing::Test {
 protected:
  ScratchFolder folder_;
  const std::filesystem::path path_ = folder_.path() / kCellProgressName;
};

TEST_F(CellProgressTest, IsReadAsItWasWrittenAndNotFromAnythingElse) {
  EXPECT_EQ(read_cell_progress(path_), std::nullopt);
  for (const char* text : {"", "[1]", "{\"seconds\": 1", "{}", "{\"seconds\": \"1\"}", "1"}) {
    test::write_text(path_, text);
    EXPECT_EQ(read_cell_progress(path_), std::nullopt) << text;
  }
  const std::string text =
      R"({"seconds":1.5,"batches":60,"batches_issued":50,"batches_finished":20,)"
      R"("operations_in_flight":1000,"rss_bytes":5000000000,"live_bytes":null})";
  test::write_text(path_, text.substr(0, text.find("null")) + "-3}");
  write_cell_progress(path_, read_cell_progress(path_).value());

  EXPECT_EQ(test::read_text(path_), text + "\n");
}

TEST_F(CellProgressTest, TheWriterGoesOnWhereNothingCanBeWritten) {
  std::latch asked{3};
  {
    const std::jthread writer =
        start_progress_writer(path_ / "absent", /*period_seconds=*/1e-4, [&] {
          if (!asked.try_wait()) asked.count_down();
          return CellProgress{.batches = 3, .batches_issued = 2};
        });
    asked.wait();
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

}  // namespace
}  // namespace runahead::record
