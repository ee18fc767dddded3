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

TEST(RecordFile, WritesWhatItReads) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "cells" / "one" / "record.json";

  write_record(path, record_with(3));
  write_record(path, record_with(4));

  EXPECT_EQ(read_record(path).repeat, 4);
  const auto entries = std::filesystem::directory_iterator(path.parent_path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);  // No temporary file is left.
}

TEST(RecordFile, BytesThatAreNotUtf8DoNotStopAWrite) {
  const test::TemporaryFolder folder;
  Record record;
  record.error = "broken \xff name";

  write_record(folder.path() / "record.json", record);

  EXPECT_THAT(*read_record(folder.path() / "record.json").error, HasSubstr("broken"));
}

TEST(RecordFile, ATornLineIsSkippedAndClosed) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "records.jsonl";
  append_jsonl(path, record_with(0));
  const std::string whole = read_file(path, 1 << 20);
  test::write_text(folder.path() / "records.jsonl", whole + whole.substr(0, whole.size() / 2));

  EXPECT_EQ(read_records(path).size(), 1u);
  append_jsonl(path, record_with(1));

  const auto records = read_records(path);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[1].repeat, 1);
}

TEST(RecordFile, ATornLastLineIsCutOff) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "records.jsonl";
  append_jsonl(path, record_with(0));
  const std::string whole = read_file(path, 1 << 20);

  EXPECT_EQ(cut_torn_line(path), 0u);
  test::write_text(path, whole + whole.substr(0, 100));
  EXPECT_EQ(cut_torn_line(path), 100u);
  EXPECT_EQ(read_file(path, 1 << 20), whole);
  test::write_text(path, whole + std::string(200'000, '\0'));
  EXPECT_EQ(cut_torn_line(path), 200'000u);
  EXPECT_EQ(read_file(path, 1 << 20), whole);
}

TEST(RecordFile, ALastLineThatLacksOnlyItsNewlineIsKept) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "records.jsonl";
  append_jsonl(path, record_with(7));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);

  EXPECT_EQ(cut_torn_line(path), 0u);
  EXPECT_EQ(read_records(path).at(0).repeat, 7);
  append_jsonl(path, record_with(8));
  EXPECT_EQ(read_records(path).size(), 2u);
}

TEST(RecordFile, ALineWithZeroBytesIsTorn) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "records.jsonl";
  append_jsonl(path, record_with(0));
  const std::string line = read_file(path, 1 << 20);
  const std::string record = line.substr(0, line.size() - 1);
  const std::string zeros(32, '\0');

  test::write_text(path, line + record + zeros + line + line + record + zeros);
  EXPECT_EQ(read_records(path).size(), 2u);
  EXPECT_EQ(cut_torn_line(path), record.size() + zeros.size());
  append_jsonl(path, record_with(1));
  EXPECT_EQ(read_records(path).back().repeat, 1);
}

TEST(RecordFile, ReadsAConfigAsDeepAsAPointerToAValueGoes) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "records.jsonl";
  Record record = record_with(1);
  for (int level = 0; level < 128; ++level) {
    record.config = Json{{"a", level == 0 ? Json::object() : record.config}};
  }
  record.config = record.config["a"];
  append_jsonl(path, record);

  EXPECT_EQ(read_records(path).at(0).config, record.config);
}

TEST(RecordFile, AFileWithoutALineIsCutWhole) {
  const test::TemporaryFolder folder;
  const auto path = test::write_text(folder.path() / "records.jsonl", "{\"schema");

  EXPECT_EQ(cut_torn_line(path), 8u);
  EXPECT_EQ(std::filesystem::file_size(path), 0u);
  EXPECT_EQ(cut_torn_line(folder.path() / "absent"), 0u);
}

TEST(RecordFile, AFileThatCannotBeReadKeepsItsLength) {
  const test::TemporaryFolder folder;
  const auto path = test::write_text(folder.path() / "records.jsonl", "{}\n{\"schema");
  const std::string message = test::error_message<Error>([&] {
    const test::ForbiddenFile forbidden(path);
    static_cast<void>(cut_torn_line(path));
  });

  EXPECT_THAT(message, HasSubstr(path.string() + ": cannot read it"));
  EXPECT_EQ(std::filesystem::file_size(path), 11u);
  EXPECT_EQ(cut_torn_line(path), 8u);
}

TEST(RecordFile, RecordsLongerThanAChunkAreRead) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "records.jsonl";
  Record record = record_with(1);
  record.error = std::string(200'000, 'x');
  append_jsonl(path, record);
  append_jsonl(path, record_with(2));

  const auto records = read_records(path);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].error, record.error);
  EXPECT_EQ(records[1].repeat, 2);
}

TEST(RecordFile, ALineThatIsNoRecordIsNamed) {
  const test::TemporaryFolder folder;
  const auto path = test::write_text(folder.path() / "records.jsonl", "\n{\"a\": 1}\n");

  EXPECT_THAT(test::error_message<Error>([&] { static_cast<void>(read_records(path)); }),
              HasSubstr("records.jsonl, line 2: this is not a record"));
}

TEST(RecordFile, WhatCannotBeReadOrWrittenIsNamed) {
  const test::TemporaryFolder folder;
  const auto file = test::write_text(folder.path() / "file", "{");

  EXPECT_THAT(test::error_message<Error>([&] { static_cast<void>(read_record(file)); }),
              HasSubstr("file, line 1, column 2"));
  EXPECT_THAT(test::error_message<Error>([&] { static_cast<void>(read_records(folder.path())); }),
              HasSubstr(folder.path().string() + ": cannot read it"));
  EXPECT_THAT(test::error_message<Error>([&] { write_record(file / "record.json", Record{}); }),
              HasSubstr(file.string()));
  EXPECT_THAT(test::error_message<Error>([&] { append_jsonl(folder.path(), Record{}); }),
              HasSubstr(folder.path().string()));
}

}  // namespace
}  // namespace runahead::record
