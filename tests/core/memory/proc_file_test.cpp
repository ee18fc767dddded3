#include "core/memory/proc_file.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead::memory {
namespace {

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
