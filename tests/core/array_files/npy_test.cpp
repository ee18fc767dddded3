#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/array_files/file_contents.h"

namespace runahead::array_files::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Npy, HasAtMostThirtyTwoDimensions) {
  std::string ones;
  for (int dimension = 0; dimension < 32; ++dimension) ones += "1,";
  EXPECT_EQ(read_content(npy(dictionary("|u1", "(" + ones + ")"), "a")).shape.size(), 32U);
  EXPECT_THAT(refusal(npy(dictionary("|u1", "(" + ones + "1)"), "a")),
              HasSubstr("found 33 dimensions; allowed: at most 32"));
}

TEST(Npy, TakesTheKeysInAnyOrderAndSpacesAnywhere) {
  for (const std::string text : {
           "{'shape': (2,), 'descr': '|u1', 'fortran_order': False}",
           "{\"shape\":(2,),\"descr\":\"|u1\",\"fortran_order\":True}     ",
           "{ 'fortran_order' : False , 'shape' : ( 2 , ) , 'descr' : '<u1' , }",
           "{'descr': '|u1', 'fortran_order': False, 'shape': (2L,), }",
       }) {
    EXPECT_THAT(elements_of<std::uint8_t>(read_content(npy(text, "ab"))), ElementsAre('a', 'b'))
        << text;
  }
}

TEST(Npy, RefusesOtherDictionariesAtTheirOffset) {
  struct Row {
    std::string dictionary;
    std::string message;
  };
  const std::vector<Row> rows{
      {"", "byte 11: found the end of the header; allowed: '{'"},
      {"[1]", "byte 10: found \"[1]"},
      {"{'descr': '<u2', 'fortran_order': False, 'shape': (2,)}",
       "byte 20: found the type \"<u2\"; allowed: b1, u1, i1, i2, i4, i8, f2, f4, f8"},
      {"{'descr': '|i4', 'fortran_order': False, 'shape': (2,)}", "found the type \"|i4\""},
      {"{'descr': '=f4', 'fortran_order': False, 'shape': (2,)}", "found the type \"=f4\""},
      {"{'descr': '<c8', 'fortran_order': False, 'shape': (2,)}", "found the type \"<c8\""},
      {"{'descr': '<U5', 'fortran_order': False, 'shape': (2,)}", "found the type \"<U5\""},
      {"{'descr': '', 'fortran_order': False, 'shape': (2,)}", "found the type \"\""},
      {"{'descr': '|O', 'fortran_order': False, 'shape': (2,)}",
       "holds pickled Python objects, which are never read"},
      {"{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,)}",
       "byte 20: found a type of several fields"},
      {"{'descr': '|u1', 'fortran_order': false, 'shape': (2,)}",
       "byte 44: found \"false, 'shape': (2,)\"; allowed: True, False"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (2)}",
       "found a number between parentheses; allowed: a tuple; of one size: (3,)"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': [2]}", "allowed: a tuple of sizes: '('"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (-2,)}", "found \"-2,)}"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (2 3)}", "found \"3)}"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (,)}", "allowed: a size from 0 to"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (9223372036854775808,)}",
       "allowed: a size from 0 to 9223372036854775807"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (4611686018427387904, 4, 4)}",
       "byte 60: found the shape (4611686018427387904, 4, 4) of elements of 1 byte; allowed: at "
       "most "
       "1,099,511,627,776 bytes in total"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (0, 4611686018427387904)}", "in total"},
      {"{'descr': '|u1', 'fortran_order': False}", "found no key \"shape\""},
      {"{}", "found no key \"descr\""},
      {"{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': (2,)}",
       "found \"descr\" for the second time"},
      {"{'descr': '|u1', 'order': 'C', 'fortran_order': False, 'shape': (2,)}",
       "byte 27: found the key \"order\"; allowed: descr, fortran_order, shape"},
      {"{'descr': '|u1' 'fortran_order': False, 'shape': (2,)}", "allowed: ',' or '}'"},
      {"{'descr: 1}", "byte 11: found \"'descr: 1}"},
      {"{'de\\x73cr': '|u1'}", "byte 14: found a backslash"},
      {"{'descr': '|u1', 'fortran_order': False, 'shape': (2,)} or exit()", "found \"or exit()"},
  };
  for (const Row& row : rows) {
    const std::string message = refusal(npy(row.dictionary, "ab"));
    EXPECT_THAT(message, StartsWith("file: byte ")) << row.dictionary;
    EXPECT_THAT(message, HasSubstr(row.message)) << row.dictionary;
  }
}

TEST(Npy, RefusesHeadersThatAreNone) {
  const std::string good = npy(dictionary("|u1", "(2,)"), "ab");
  const auto with = [&](std::size_t at, const std::string& bytes) {
    return std::string(good).replace(at, bytes.size(), bytes);
  };
  EXPECT_THAT(refusal(with(6, raw({4, 0}))),
              HasSubstr("byte 6: found format 4.0 of .npy; allowed: 1.0, 2.0, 3.0"));
  EXPECT_THAT(refusal(with(6, raw({1, 1}))), HasSubstr("byte 6: found format 1.1"));
  EXPECT_THAT(refusal(with(8, raw({255, 255}))),
              HasSubstr("byte 8: found a header of 65535 bytes; allowed: at most 65526"));
  EXPECT_THAT(refusal(with(6, raw({2, 0, 255, 255, 255, 255}))),
              HasSubstr("byte 8: found a header of 4294967295 bytes"));
  EXPECT_THAT(refusal(good.substr(0, 9)), HasSubstr("byte 9: found the end"));
  EXPECT_THAT(refusal(good.substr(0, 40)), HasSubstr("byte 40: found the end; allowed: a header"));
  std::string without_newline = good;
  without_newline[good.find('\n')] = ' ';
  EXPECT_THAT(refusal(without_newline), HasSubstr("allowed: a newline at its end"));
}

TEST(Npy, RefusesElementsThatAreTooFewOrTooMany) {
  const std::string header = npy(dictionary("<i2", "(2, 3)"), "");
  const std::string at = "byte " + std::to_string(header.size()) + ": found ";
  EXPECT_THAT(refusal(header + std::string(11, 'a')),
              HasSubstr(at + "11 bytes of elements; allowed: 12 bytes, as the header says"));
  EXPECT_THAT(refusal(header + std::string(13, 'a')), HasSubstr(at + "13 bytes of elements"));
  EXPECT_THAT(refusal(header), HasSubstr(at + "0 bytes of elements"));
}

TEST(Npy, RefusesABoolThatIsNeitherTrueNorFalse) {
  const std::string header = npy(dictionary("|b1", "(3,)"), "");
  EXPECT_THAT(refusal(header + raw({1, 0, 2})),
              HasSubstr("byte " + std::to_string(header.size() + 2) +
                        ": found 2 in an array of bools; allowed: 0 and 1"));
}

}  // namespace
}  // namespace runahead::array_files::test
