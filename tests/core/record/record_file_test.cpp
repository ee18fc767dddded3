#include "core/record/record_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "support/error_message.h"
#include "support/forbidden_file.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead::record {
namespace {

using ::testing::HasSubstr;

Record record_with(std::int64_t repeat) {
  Record record;
  record.repeat = repeat;
  return record;
}

class RecordFile : public ::testing::Test {
 protected:
  test::TemporaryFolder folder_{};
  const std::filesystem::path path_ = folder_.path() / "records.jsonl";
};

TEST_F(RecordFile, WritesWhatItReadsAndNeverOverARecord) {
  const auto record_path = folder_.path() / "cells" / "one" / "record.json";

  write_record(record_path, record_with(3));

  EXPECT_THROW(write_record(record_path, record_with(4)), Error);
  EXPECT_EQ(read_record(record_path).repeat, 3);
}

TEST_F(RecordFile, ATornLineIsSkippedAndClosed) {
  append_jsonl(path_, record_with(0));
  const std::string whole = read_file(path_, 1 << 20);
  test::write_text(path_, whole + whole.substr(0, whole.size() / 2));

  EXPECT_EQ(read_records(path_).size(), 1u);
  append_jsonl(path_, record_with(1));

  const auto records = read_records(path_);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[1].repeat, 1);
}

TEST_F(RecordFile, ALastLineThatLacksOnlyItsNewlineIsKept) {
  append_jsonl(path_, record_with(7));
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 1);

  EXPECT_EQ(cut_torn_line(path_), 0u);
  EXPECT_EQ(read_records(path_).at(0).repeat, 7);
  append_jsonl(path_, record_with(8));
  EXPECT_EQ(read_records(path_).size(), 2u);
}

TEST_F(RecordFile, ALineWithZeroBytesIsTorn) {
  append_jsonl(path_, record_with(0));
  const std::string line = read_file(path_, 1 << 20);
  const std::string record = line.substr(0, line.size() - 1);
  const std::string zeros(32, '\0');

  test::write_text(path_, line + record + zeros + line + line + record + zeros);
  EXPECT_EQ(read_records(path_).size(), 2u);
  EXPECT_EQ(cut_torn_line(path_), record.size() + zeros.size());
  append_jsonl(path_, record_with(1));
  EXPECT_EQ(read_records(path_).back().repeat, 1);
}

TEST_F(RecordFile, ReadsAConfigAsDeepAsAPointerToAValueGoes) {
  Record record = record_with(1);
  for (int level = 0; level < 128; ++level) {
    record.config = Json{{"a", level == 0 ? Json::object() : record.config}};
  }
  record.config = record.config["a"];
  append_jsonl(path_, record);

  EXPECT_EQ(read_records(path_).at(0).config, record.config);
}

TEST_F(RecordFile, AFileThatCannotBeReadKeepsItsLength) {
  test::write_text(path_, "{}\n{\"schema");
  const std::string message = test::error_message<Error>([&] {
    const test::ForbiddenFile forbidden(path_);
    static_cast<void>(cut_torn_line(path_));
  });

  EXPECT_THAT(message, HasSubstr("cannot read " + path_.string() + ": "));
  EXPECT_EQ(std::filesystem::file_size(path_), 11u);
  EXPECT_EQ(cut_torn_line(path_), 8u);
}

TEST_F(RecordFile, ALineThatIsNoRecordIsNamed) {
  test::write_text(path_, "\n{\"a\": 1}\n");

  EXPECT_THAT(
      test::error_message<Error>([&] { static_cast<void>(read_records(path_)); }),
      AllOf(HasSubstr("records.jsonl, line 2: not a record"), HasSubstr("delete this line")));
}

TEST_F(RecordFile, ALastLineOfSeveralChunksIsKeptIfItIsWhole) {
  test::write_text(path_, "{}\n[\"" + std::string(200'000, 'x') + "\"]");

  EXPECT_EQ(cut_torn_line(path_), 0u);
}

}  // namespace
}  // namespace runahead::record
