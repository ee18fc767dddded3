#include "core/base/bytes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>

namespace runahead {
namespace {

TEST(ParseBytes, ReadsPlainNumbersAsBytes) {
  EXPECT_EQ(parse_bytes("0"), 0U);
  EXPECT_EQ(parse_bytes("1000"), 1000U);
  EXPECT_EQ(parse_bytes("7 B"), 7U);
}

TEST(ParseBytes, TellsPowersOf1000FromPowersOf1024) {
  EXPECT_EQ(parse_bytes("2kB"), 2'000U);
  EXPECT_EQ(parse_bytes("2KiB"), 2'048U);
  EXPECT_EQ(parse_bytes("2MB"), 2'000'000U);
  EXPECT_EQ(parse_bytes("256MiB"), 268'435'456U);
  EXPECT_EQ(parse_bytes("1TB"), 1'000'000'000'000U);
  EXPECT_EQ(parse_bytes("1PiB"), std::uint64_t{1} << 50);
}

TEST(ParseBytes, TakesFractionsOneSpaceAndAnyCase) {
  EXPECT_EQ(parse_bytes("1.5GiB"), 1'610'612'736U);
  EXPECT_EQ(parse_bytes("0.3 kB"), 300U);
  EXPECT_EQ(parse_bytes("1.0015kb"), 1001U);
  EXPECT_EQ(parse_bytes("4gib"), 4'294'967'296U);
}

TEST(ParseBytes, RefusesWhatIsNoSize) {
  for (const char* text : {"", " ", "GiB", "-1", "+1", "1e9", "1.", ".5GiB", "1.5", "1  MB", "1G",
                           "1 ", "1MBs", "0x10", "nan", "1,5GiB", " 1MB"}) {
    EXPECT_EQ(parse_bytes(text), std::nullopt) << "'" << text << "'";
  }
}

TEST(ParseBytes, RefusesWhatExceeds64Bits) {
  EXPECT_EQ(parse_bytes("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(parse_bytes("18446744073709551616"), std::nullopt);
  EXPECT_EQ(parse_bytes("16384PiB"), std::nullopt);
  EXPECT_EQ(parse_bytes("16383.5PiB"), 18'446'181'123'756'130'304U);
}

TEST(FormatBytes, KeepsThreeSignificantDigits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(1000), "1.00 kB");
  EXPECT_EQ(format_bytes(2'101'248), "2.10 MB");
  EXPECT_EQ(format_bytes(39'900'000), "39.9 MB");
  EXPECT_EQ(format_bytes(241'000'000), "241 MB");
  EXPECT_EQ(format_bytes(std::numeric_limits<std::uint64_t>::max()), "18.4 EB");
}

TEST(FormatBytes, CarriesIntoTheNextUnitWhenItRounds) {
  EXPECT_EQ(format_bytes(999'499), "999 kB");
  EXPECT_EQ(format_bytes(999'500), "1.00 MB");
  EXPECT_EQ(format_bytes(9'996), "10.0 kB");
  EXPECT_EQ(format_bytes(99'960), "100 kB");
}

TEST(FormatBytes, IsReadBackByParseBytes) {
  for (const std::uint64_t bytes : {512ULL, 1'500ULL, 12'300'000ULL, 987'000'000'000ULL}) {
    EXPECT_EQ(parse_bytes(format_bytes(bytes)), bytes);
  }
}

}  // namespace
}  // namespace runahead
