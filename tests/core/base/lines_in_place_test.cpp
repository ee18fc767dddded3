#include "core/base/lines_in_place.h"

#include <gtest/gtest.h>

#include <sstream>

namespace runahead {
namespace {

TEST(LinesInPlace, LeaveTheCursorAtTheirBeginning) {
  std::ostringstream out;
  LinesInPlace lines(out);
  lines.show({"one", "two", "three"});

  EXPECT_EQ(out.str(), "\r\033[Jone\ntwo\nthree\r\033[A\033[A");
}

TEST(LinesInPlace, TakeThePlaceOfThoseBefore) {
  std::ostringstream out;
  LinesInPlace lines(out);
  lines.show({"one", "two"});
  out.str("");
  lines.show({"three"});

  EXPECT_EQ(out.str(), "\r\033[Jthree\r");
}

TEST(LinesInPlace, StayBelowALineThatIsPrinted) {
  std::ostringstream out;
  LinesInPlace lines(out);
  lines.print_above("first");
  lines.show({"one", "two"});
  out.str("");
  lines.print_above("second");

  EXPECT_EQ(out.str(), "\r\033[Jsecond\none\ntwo\r\033[A");
}

TEST(LinesInPlace, LeaveNothingBehind) {
  std::ostringstream out;
  {
    LinesInPlace lines(out);
    lines.show({"one"});
    lines.clear();
    EXPECT_EQ(out.str(), "\r\033[Jone\r\r\033[J");
    lines.show({"two"});
    out.str("");
  }

  EXPECT_EQ(out.str(), "\r\033[J");
}

TEST(LinesInPlace, WriteNothingWhereNothingWasShown) {
  std::ostringstream out;
  { LinesInPlace lines(out); }

  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace runahead
