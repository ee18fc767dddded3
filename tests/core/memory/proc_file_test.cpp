#include "core/memory/proc_file.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead::memory {
namespace {

TEST(ProcFile, AnAbsentFileReadsAsNull) {
  const ProcFile file("/proc/no/such/file");
  std::array<char, 16> buffer{};
  EXPECT_FALSE(file.is_open());
  EXPECT_EQ(file.read(buffer), std::nullopt);
}

TEST(ProcFile, ReadsThePresentTextEachTime) {
  const runahead::test::TemporaryFolder folder;
  runahead::test::write_text(folder.path() / "count", "1\n");
  const ProcFile file((folder.path() / "count").string());
  std::array<char, 16> buffer{};
  EXPECT_EQ(file.read(buffer), "1\n");
  runahead::test::write_text(folder.path() / "count", "22\n");
  EXPECT_EQ(file.read(buffer), "22\n");
}

TEST(ProcFile, ReadsNoMoreThanFits) {
  const runahead::test::TemporaryFolder folder;
  runahead::test::write_text(folder.path() / "text", "0123456789");
  std::array<char, 4> buffer{};
  EXPECT_EQ(ProcFile((folder.path() / "text").string()).read(buffer), "0123");
}

TEST(ProcFile, MovesItsDescriptor) {
  const runahead::test::TemporaryFolder folder;
  runahead::test::write_text(folder.path() / "text", "x");
  ProcFile first((folder.path() / "text").string());
  const ProcFile second(std::move(first));
  std::array<char, 4> buffer{};
  EXPECT_EQ(second.read(buffer), "x");
}

TEST(FindKibField, ReadsTheLineThatStartsWithTheKey) {
  const std::string text = "VmPeak:\t   99 kB\nVmHWM:\t    5120 kB\nVmRSS:\t 7 kB\n";
  EXPECT_EQ(find_kib_field(text, "VmHWM:"), 5120U * 1024);
  EXPECT_EQ(find_kib_field(text, "HWM:"), std::nullopt);
  EXPECT_EQ(find_kib_field("VmHWM:\n", "VmHWM:"), std::nullopt);
  EXPECT_EQ(find_kib_field("", "VmHWM:"), std::nullopt);
}

TEST(ParseCount, ReadsANumberAndNothingElse) {
  EXPECT_EQ(parse_count("123\n"), 123U);
  EXPECT_EQ(parse_count("max\n"), std::nullopt);
  EXPECT_EQ(parse_count(""), std::nullopt);
  EXPECT_EQ(parse_count("99999999999999999999"), std::nullopt);
}

}  // namespace
}  // namespace runahead::memory
