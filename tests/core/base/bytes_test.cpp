#include "core/base/bytes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace runahead {
namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

TEST(ParseBytes, ReadsNumbersWithUnitsOf1000AndOf1024) {
  for (const auto& [text, bytes] : {std::pair<const char*, std::uint64_t>{"0", 0},
                                    {"1000", 1000},
                                    {"7 B", 7},
                                    {"2kB", 2'000},
                                    {"2KiB", 2'048},
                                    {"2MB", 2'000'000},
                                    {"256MiB", 268'435'456},
                                    {"1TB", 1'000'000'000'000},
                                    {"1PiB", std::uint64_t{1} << 50},
                                    {"1.5GiB", 1'610'612'736},
                                    {"0.3 kB", 300},
                                    {"1.0015kb", 1001},
                                    {"4gib", 4'294'967'296},
                                    {"16383.5PiB", 18'446'181'123'756'130'304U},
                                    {"18446744073709551615", kLargest}}) {
    EXPECT_EQ(parse_bytes(text), bytes) << text;
  }
}

TEST(ParseBytes, RefusesWhatIsNoSizeOrExceeds64Bits) {
  for (const char* text :
       {"", " ", "GiB", "-1", "+1", "1e9", "1.", ".5GiB", "1.5", "1  MB", "1G", "1 ", "1MBs",
        "0x10", "nan", "1,5GiB", " 1MB", "18446744073709551616", "16384PiB"}) {
    EXPECT_EQ(parse_bytes(text), std::nullopt) << "'" << text << "'";
  }
}

TEST(FormatBytes, KeepsThreeSignificantDigitsAndCarriesIntoTheNextUnit) {
  for (const auto& [bytes, text] : {std::pair<std::uint64_t, const char*>{0, "0 B"},
                                    {999, "999 B"},
                                    {1000, "1.00 kB"},
                                    {2'101'248, "2.10 MB"},
                                    {39'900'000, "39.9 MB"},
                                    {241'000'000, "241 MB"},
                                    {kLargest, "18.4 EB"},
                                    {999'499, "999 kB"},
                                    {999'500, "1.00 MB"},
                                    {9'996, "10.0 kB"},
                                    {99'960, "100 kB"}}) {
    EXPECT_EQ(format_bytes(bytes), text);
  }
  EXPECT_EQ(parse_bytes(format_bytes(12'300'000)), 12'300'000U);
}

}  // namespace
}  // namespace runahead
