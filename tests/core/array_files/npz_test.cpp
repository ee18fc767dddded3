#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/array_files/compressed_contents.h"

namespace runahead::array_files::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const char* const kPair = "(2,)";

/// An entry of two bytes.
ZippedFile entry(const std::string& name, const std::string& elements, int method = kStored) {
  return {.name = name, .content = npy(dictionary("|u1", kPair), elements), .method = method};
}

TEST(Npz, NeedsNoNameForItsOnlyArray) {
  EXPECT_THAT(elements_of<char>(read_content(zip({{.name = "x"}, entry("arr_0.npy", "12")}))),
              ElementsAre('1', '2'));
}

TEST(Npz, ReadsWhatInflatesToVeryMuchMore) {
  const std::string zeros(1'000'000, '\0');
  const std::string file = zip({{.name = "zeros.npy",
                                 .content = npy(dictionary("<f4", "(250000,)"), zeros),
                                 .method = kDeflated}});
  ASSERT_LT(file.size(), 2'000U);
  const Array array = read_content(file);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(array.data.get()), array.bytes()), zeros);
}

TEST(Npz, ListsItsNamesTheNearestFirst) {
  const std::string file =
      zip({entry("labels.npy", "12"), entry("images.npy", "34"), entry("weights.npy", "56")});
  EXPECT_EQ(refusal(file, "image"),
            "file: found the name \"image\"; allowed: \"images\", \"labels\", \"weights\"");
  EXPECT_EQ(refusal(file),
            "file: found no name of one of its 3 arrays; allowed: \"labels\", \"images\", "
            "\"weights\"");
  EXPECT_THAT(refusal(file, "images.npy"), HasSubstr("allowed: \"images\""));
  std::vector<ZippedFile> many;
  for (int number = 0; number < 25; ++number) {
    many.push_back(entry("part_" + std::to_string(number) + ".npy", "12"));
  }
  EXPECT_THAT(refusal(zip(many), "part_240"), HasSubstr("allowed: \"part_20\", \"part_24\""));
  EXPECT_THAT(refusal(zip(many), "part_240"), ::testing::EndsWith(" and 5 more"));
  EXPECT_EQ(refusal(zip({entry("a.npy", "12"), entry("a.npy", "34")}), "a"),
            "file: found several arrays of the name \"a\"; allowed: one");
}

TEST(Npz, RefusesArchivesWithoutArrays) {
  EXPECT_THAT(refusal(zip({})), HasSubstr("file: found an empty zip archive; allowed: arrays as"));
  EXPECT_THAT(refusal(zip({{.name = "model/data.pkl"}})),
              HasSubstr("found a zip archive of 1 file and none NAME.npy"));
}

TEST(Npz, RefusesEntriesThatItDoesNotRead) {
  ZippedFile encrypted = entry("a.npy", "12");
  encrypted.flags = 1;
  EXPECT_THAT(
      refusal(zip({encrypted})),
      HasSubstr("found an encrypted entry: \"a.npy\"; allowed: entries without a password"));
  const std::string file = zip({entry("a.npy", "12", 14)});
  EXPECT_THAT(refusal(file),
              HasSubstr("file: byte " + std::to_string(file.find("PK\x01\x02")) +
                        ": found compression method 14 of \"a.npy\"; allowed: 0 (stored), 8"));
}

TEST(Npz, RefusesEntriesOfAnotherSizeThanTheArchiveSays) {
  ZippedFile stored = entry("a.npy", "12");
  stored.claimed_bytes = 1;
  EXPECT_THAT(refusal(zip({stored})), HasSubstr("found 1 bytes that are stored in"));
  for (const std::uint64_t claimed : {1U, 1'000'000'000U}) {
    ZippedFile bomb = entry("a.npy", "12", kDeflated);
    bomb.claimed_bytes = claimed;
    EXPECT_THAT(
        refusal(zip({bomb})),
        HasSubstr("file: \"a.npy\": byte 68: found 2 bytes of elements, as the header says; "
                  "allowed: as many as the archive says"));
  }
  ZippedFile claims_too_much{.name = "a.npy",
                             .content = npy(dictionary("|u1", "(1000000000,)"), "12"),
                             .method = kDeflated,
                             .claimed_bytes = 1'000'000'077};
  EXPECT_THAT(refusal(zip({claims_too_much})), HasSubstr("compressed bytes can inflate to"));
}

TEST(Npz, RefusesADeflatedEntryWithAnotherChecksum) {
  ZippedFile changed = entry("a.npy", "12", kDeflated);
  changed.claimed_checksum = 1;
  EXPECT_THAT(refusal(zip({changed})),
              HasSubstr("found an entry with another checksum: \"a.npy\""));
}

TEST(Npz, NamesTheEntryInWhichAHeaderIsWrong) {
  for (const int method : {kStored, kDeflated}) {
    ZippedFile wrong{
        .name = "a.npy", .content = npy(dictionary("|O", kPair), "12"), .method = method};
    EXPECT_THAT(
        refusal(zip({wrong})),
        HasSubstr("file: \"a.npy\": byte 20: found the type \"|O\": the array holds pickled "
                  "Python objects, which are never read"));
  }
}

TEST(Npz, RefusesArchivesThatAreCutOffOrContradictThemselves) {
  const std::string file = zip({entry("a.npy", "12")});
  for (const std::size_t bytes : {4UL, file.size() / 2, file.size() - 1}) {
    EXPECT_THAT(refusal(file.substr(0, bytes)),
                HasSubstr("whose directory, at its end, is damaged"))
        << bytes;
  }
  std::string contradicting = file;
  contradicting[0] = 'X';
  EXPECT_THAT(refusal(contradicting), HasSubstr("found 58 4B 03 04"));
  contradicting = zip({entry("b.npy", "34"), entry("a.npy", "12")});
  contradicting[contradicting.find("PK\x03\x04", 1)] = 'X';
  EXPECT_THAT(refusal(contradicting, "a"),
              HasSubstr("that the entry itself contradicts: \"a.npy\""));
}

}  // namespace
}  // namespace runahead::array_files::test
