// A sweep whose disk fills up under it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>

#include "support/small_disk.h"
#include "sweep_fault_fixture.h"

namespace runahead {
namespace {

using ::testing::HasSubstr;
using SweepFullDisk = test::SweepFaultTest;

constexpr unsigned kSeed = 9;
constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kPlentyBytes = std::size_t{64} << 20;

TEST_F(SweepFullDisk, ReportsItAndCompletesWhenThereIsRoomAgain) {
  // A cell writes at least four files, of a page each: none of these sizes is enough for 60.
  const std::string config = sweep_of_seeds(60);
  const RecordOfRun expected = undisturbed_records(config);
  std::mt19937 random(kSeed);
  for (int moment = 0; moment < 6; ++moment) {
    const auto pages = std::uniform_int_distribution<std::size_t>(2, 240)(random);
    SCOPED_TRACE(std::to_string(pages) + " pages, of seed " + std::to_string(kSeed));
    const std::filesystem::path out = folder() / ("disk" + std::to_string(moment));
    std::filesystem::create_directory(out);
    test::SmallDisk disk(out, pages * kPageBytes);
    if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();

    const test::ProgramEnd full = runahead({"sweep", config, "--out", out.string()});
    EXPECT_EQ(full.exit_code, 1);
    EXPECT_THAT(full.err, HasSubstr("No space left on device"));
    ASSERT_TRUE(disk.resize(kPlentyBytes));
    const test::ProgramEnd resumed = runahead({"sweep", config, "--out", out.string()});
    EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_EQ(accepted_records(out), expected);
  }
}

}  // namespace
}  // namespace runahead
