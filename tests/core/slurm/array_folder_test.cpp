#include "core/slurm/array_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/error.h"
#include "core/base/json.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead::slurm {
namespace {

using ::testing::ElementsAre;

class ArrayFolderTest : public ::testing::Test {
 protected:
  runahead::test::TemporaryFolder scratch_;
  const std::filesystem::path parent_ = scratch_.path() / "slurm";
};

TEST_F(ArrayFolderTest, NumbersAreNotUsedTwice) {
  EXPECT_EQ(ArrayFolder::make_next(parent_).path(), parent_ / "0001");
  std::filesystem::create_directories(parent_ / "0007");
  std::filesystem::create_directories(parent_ / "notes");

  EXPECT_EQ(ArrayFolder::make_next(parent_).path(), parent_ / "0008");
}

TEST_F(ArrayFolderTest, FindsThoseThatAreNotClosedOldestFirst) {
  const ArrayFolder first = ArrayFolder::make_next(parent_);
  const ArrayFolder second = ArrayFolder::make_next(parent_);
  const ArrayFolder third = ArrayFolder::make_next(parent_);
  second.close();
  const std::vector<ArrayFolder> open = ArrayFolder::open_ones(parent_);

  ASSERT_EQ(open.size(), 2U);
  EXPECT_EQ(open[0].path(), first.path());
  EXPECT_EQ(open[1].path(), third.path());
  EXPECT_TRUE(ArrayFolder::open_ones(scratch_.path() / "nothing").empty());
}

TEST_F(ArrayFolderTest, ReadsItsHeaderBack) {
  const ArrayFolder folder = ArrayFolder::make_next(parent_);
  ArrayHeader header{.name = "runahead-1", .version = "0.1.0", .cells_folder = "/runs/cells"};
  header.needs = {.timeout_seconds = 2.5,
                  .memory_limit_bytes = 1'000'000,
                  .cpus = 3,
                  .options = {"--partition=gpu"}};
  header.progress_seconds = 0.5;
  folder.write_header(header);
  const ArrayHeader read = folder.read_header();

  EXPECT_EQ(read.name, header.name);
  EXPECT_EQ(read.version, header.version);
  EXPECT_EQ(read.cells_folder, header.cells_folder);
  EXPECT_EQ(read.needs.timeout_seconds, header.needs.timeout_seconds);
  EXPECT_EQ(read.needs.memory_limit_bytes, header.needs.memory_limit_bytes);
  EXPECT_EQ(read.needs.cpus, header.needs.cpus);
  EXPECT_EQ(read.needs.options, header.needs.options);
  EXPECT_EQ(read.progress_seconds, header.progress_seconds);
  folder.write_header({.name = "runahead-2", .version = "0.1.0", .cells_folder = "/runs/cells"});
  EXPECT_FALSE(folder.read_header().needs.timeout_seconds.has_value());
}

TEST_F(ArrayFolderTest, TellsAHeaderThatIsNone) {
  const ArrayFolder folder = ArrayFolder::make_next(parent_);
  EXPECT_THROW(static_cast<void>(folder.read_header()), Error);
  runahead::test::write_text(folder.path() / "array.json", "{\"name\": 3}");
  EXPECT_THROW(static_cast<void>(folder.read_header()), Error);

  folder.write_header({.name = "runahead-1", .version = "0.1.0", .cells_folder = "/runs/cells"});
  for (const char* key : {"cpus", "memory_limit_bytes"}) {
    Json document = read_json_file(folder.path() / "array.json");
    document[key] = 1e300;
    runahead::test::write_text(folder.path() / "array.json", dump_json(document));
    EXPECT_THROW(static_cast<void>(folder.read_header()), Error);
    folder.write_header({.name = "runahead-1", .version = "0.1.0", .cells_folder = "/runs/cells"});
  }
}

TEST_F(ArrayFolderTest, KnowsItsJobOnceItWasSubmitted) {
  const ArrayFolder folder = ArrayFolder::make_next(parent_);
  EXPECT_FALSE(folder.read_job_id().has_value());
  folder.write_job_id("12");

  EXPECT_EQ(folder.read_job_id(), "12");
}

TEST_F(ArrayFolderTest, TellsResultsUntilTheyAreStored) {
  const ArrayFolder folder = ArrayFolder::make_next(parent_);
  runahead::test::write_text(folder.result(0), "{}");
  runahead::test::write_text(folder.result(12), "{}");
  runahead::test::write_text(folder.result(3).string() + ".tmp99", "half");
  EXPECT_THAT(folder.results(), ElementsAre(0, 12));
  EXPECT_TRUE(folder.stored().empty());
  folder.mark_stored(12);
  folder.mark_stored(7);  // Slurm killed it: it left no result.

  EXPECT_THAT(folder.results(), ElementsAre(0));
  EXPECT_THAT(folder.stored(), ElementsAre(7, 12));
}

TEST_F(ArrayFolderTest, TellsTheEndOfALongOutput) {
  const ArrayFolder folder = ArrayFolder::make_next(parent_);
  EXPECT_EQ(folder.output_end(1), "");
  runahead::test::write_text(folder.output(1), "short");
  runahead::test::write_text(folder.output(2), std::string(100'000, 'x') + "the end");

  EXPECT_EQ(folder.output_end(1), "short");
  EXPECT_EQ(folder.output_end(2).size(), 4096U);
  EXPECT_TRUE(folder.output_end(2).ends_with("the end"));
}

}  // namespace
}  // namespace runahead::slurm
