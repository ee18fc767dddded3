#include "core/record/progress_writer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <latch>
#include <new>

#include "support/temporary_folder.h"

namespace runahead::record {
namespace {

constexpr double kAtOnceSeconds = 1e-4;
constexpr double kNeverSeconds = 1e6;

/// Lets a writer ask `times` times, the last of them after it has written.
void write_to(const std::filesystem::path& path, std::ptrdiff_t times) {
  std::latch asked{times};
  const ProgressWriter writer(path, kAtOnceSeconds, [&] {
    if (!asked.try_wait()) asked.count_down();
    return CellProgress{.batches = 3, .batches_issued = 2};
  });
  asked.wait();
}

TEST(ProgressWriter, WritesNothingForARunThatIsShorterThanItsPeriod) {
  const test::TemporaryFolder folder;
  {
    const ProgressWriter writer(folder.path() / kCellProgressName, kNeverSeconds,
                                [] { return CellProgress{}; });
  }

  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ProgressWriter, GoesOnWhereNothingCanBeWritten) {
  const test::TemporaryFolder folder;
  write_to(folder.path() / "absent" / kCellProgressName, 3);

  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ProgressWriter, GoesOnWhereThereIsNoMemory) {
  const test::TemporaryFolder folder;
  std::latch asked{3};
  const ProgressWriter writer(folder.path() / kCellProgressName, kAtOnceSeconds,
                              [&]() -> CellProgress {
                                if (!asked.try_wait()) asked.count_down();
                                throw std::bad_alloc();
                              });
  asked.wait();

  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace runahead::record
