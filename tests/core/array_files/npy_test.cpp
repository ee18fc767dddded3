#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/array_files/file_contents.h"

namespace runahead::array_files::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(Npy, ReadsEachTypeInBothByteOrders) {
  struct Row {
    std::string descr;
    ElementType type;
    std::size_t bytes;
  };
  const std::vector<Row> rows{
      {"b1", ElementType::kBool, 1},    {"u1", ElementType::kUint8, 1},
      {"i1", ElementType::kInt8, 1},    {"i2", ElementType::kInt16, 2},
      {"i4", ElementType::kInt32, 4},   {"i8", ElementType::kInt64, 8},
      {"f2", ElementType::kFloat16, 2}, {"f4", ElementType::kFloat32, 4},
      {"f8", ElementType::kFloat64, 8},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.descr);
    const std::string least_first = little(1, static_cast<int>(row.bytes));
    const std::string most_first = big(1, static_cast<int>(row.bytes));
    for (const std::string order : {"<", ">", "|"}) {
      if (order == "|" && row.bytes > 1) continue;
      const Array array = read_content(
          npy(dictionary(order + row.descr, "(1,)"), order == ">" ? most_first : least_first));
      EXPECT_EQ(array.type, row.type);
      EXPECT_THAT(array.shape, ElementsAre(1));
      EXPECT_EQ(array.bytes(), row.bytes);
      EXPECT_EQ(std::string(reinterpret_cast<const char*>(array.data.get()), row.bytes),
                least_first);
    }
  }
}

TEST(Npy, ReadsEachVersionOfTheFormat) {
  for (const int version : {1, 2, 3}) {
    const Array array = read_content(npy(dictionary("<i2", "(2,)"), raw({1, 0, 2, 0}), version));
    EXPECT_THAT(elements_of<std::int16_t>(array), ElementsAre(1, 2)) << version;
  }
}

TEST(Npy, ReadsShapesOfAnyRank) {
  const Array scalar = read_content(npy(dictionary("|u1", "()"), "a"));
  EXPECT_THAT(scalar.shape, IsEmpty());
  EXPECT_EQ(scalar.bytes(), 1U);
  const Array none = read_content(npy(dictionary("<f4", "(0, 3)"), ""));
  EXPECT_THAT(none.shape, ElementsAre(0, 3));
  EXPECT_EQ(none.bytes(), 0U);
  EXPECT_NE(none.data, nullptr);
  std::string ones;
  for (int dimension = 0; dimension < 32; ++dimension) ones += "1,";
  EXPECT_EQ(read_content(npy(dictionary("|u1", "(" + ones + ")"), "a")).shape.size(), 32U);
  EXPECT_THAT(refusal(npy(dictionary("|u1", "(" + ones + "1)"), "a")),
              HasSubstr("found 33 dimensions; allowed: at most 32"));
}

TEST(Npy, TurnsColumnMajorOrderIntoRowMajor) {
  // Of shape (2, 3): 1 2 3 in the first row, 4 5 6 in the second.
  const std::string columns = raw({1, 4, 2, 5, 3, 6});
  EXPECT_THAT(
      elements_of<std::uint8_t>(read_content(npy(dictionary("|u1", "(2, 3)", true), columns))),
      ElementsAre(1, 2, 3, 4, 5, 6));
  std::string wide;
  for (const char value : columns) wide += raw({0, value});
  EXPECT_THAT(elements_of<std::int16_t>(read_content(npy(dictionary(">i2", "(2, 3)", true), wide))),
              ElementsAre(1, 2, 3, 4, 5, 6));
  // Of shape (2, 2, 2), counted up in row-major order.
  EXPECT_THAT(elements_of<std::uint8_t>(read_content(
                  npy(dictionary("|u1", "(2, 2, 2)", true), raw({0, 4, 2, 6, 1, 5, 3, 7})))),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
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
