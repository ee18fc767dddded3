#include "core/report/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "core/report/run_tables.h"
#include "report_fixtures.h"
#include "support/temporary_folder.h"

namespace runahead::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SummaryTest : public ::testing::Test {
 protected:
  std::filesystem::path write_sweep(const std::string& name, const std::vector<Json>& records) {
    std::string text;
    for (const Json& record : records) text += dump_json(record) + "\n";
    return write_text(name, text);
  }

  std::filesystem::path write_text(const std::string& name, const std::string& text) {
    const std::filesystem::path folder = folder_.path() / name;
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "records.jsonl") << text;
    return folder;
  }

  ::runahead::test::TemporaryFolder folder_{};
};

std::vector<std::string> texts_of(const Json& row) {
  std::vector<std::string> texts;
  for (const Json& cell : row["cells"]) texts.push_back(cell["text"]);
  return texts;
}

TEST_F(SummaryTest, ListsRunsWithTheLastRecordOfEachRepeat) {
  Json failed = test::cell_record("a", "none");
  failed["status"] = "failed";
  const auto folder = write_sweep(
      "sweep", {failed, test::cell_record("a", "none", 1), test::cell_record("a", "none")});
  const Json document = Summary({folder}).to_json();

  EXPECT_EQ(document["overview"], "2 runs: 2 ok.");
  EXPECT_EQ(document["verdict"],
            "Not waiting let memory grow by 215 MB, with up to 97 batches in flight (medians of 2 "
            "repeats).");
  EXPECT_EQ(document["comparisons"][0]["lines"][0]["shown_repeat"], 0);
  EXPECT_EQ(document["runs"][0]["line"], 3);
  EXPECT_EQ(document["runs"][0]["samples"], (folder / "cells/a-0/samples.csv").string());
  EXPECT_EQ(document["runs"][0]["name"], "policy none");
  EXPECT_EQ(document["comparisons"][0]["lines"][0]["runs"], Json({0, 1}));
  EXPECT_THAT(texts_of(document["runs_table"]["rows"][0]),
              ElementsAre("policy none", "0", "ok", "", "260 ms", "12.2 s", "215 MB", "97",
                          "204 MB", "-", "0.00419"));
  EXPECT_EQ(document["runs_table"]["rows"][0]["cells"][5]["number"], 12.2);
}

TEST_F(SummaryTest, SaysWhereRecordsComeFrom) {
  Json first = test::cell_record("a", "none");
  first["ended_at"] = "2026-11-24T20:18:23Z";
  first["command"] = "runahead sweep s.json";
  Json second = test::cell_record("b", "none");
  second["ended_at"] = "2026-11-24T20:31:00Z";
  second["command"] = "runahead sweep s.json --jobs 2";
  const Json document = Summary({write_sweep("sweep", {second, first})}).to_json();

  std::vector<std::string> facts;
  for (const Json& fact : document["facts"]) facts.push_back(fact["text"]);
  EXPECT_THAT(facts, ElementsAre("2026-11-24 20:18 UTC to 2026-11-24 20:31 UTC",
                                 "runahead sweep s.json --jobs 2 and 1 other", "0.1.0 (abc)"));
}

TEST_F(SummaryTest, CountsRecordsOfShardsUntilTheyAreMerged) {
  Json interrupted = test::cell_record("a", "none");
  interrupted["status"] = "interrupted";
  const std::vector<Json> shards{interrupted, test::cell_record("a", "none", 1)};
  const std::filesystem::path folder = folder_.path() / "sweep";
  std::filesystem::create_directories(folder / "shards");
  for (std::size_t shard = 0; shard < shards.size(); ++shard) {
    const std::string name = std::to_string(shard) + "-of-2.jsonl";
    std::ofstream(folder / "shards" / name) << dump_json(shards[shard]) << "\n";
  }
  const Json before = Summary({folder}).to_json();
  EXPECT_EQ(before["overview"], "2 runs: 1 interrupted, 1 ok.");
  EXPECT_EQ(before["runs"][1]["path"], (folder / "shards/1-of-2.jsonl").string());

  write_sweep("sweep", {shards[0], shards[1], test::cell_record("a", "none")});
  EXPECT_EQ(Summary({folder}).to_json()["overview"], "2 runs: 2 ok.");
}

TEST_F(SummaryTest, ComparesPredictionsWithMeasurementsAndCountsBlockingOperators) {
  const Json tables =
      Summary({write_sweep("sweep", {test::some_record()})}).to_json()["comparisons"][0]["tables"];

  ASSERT_EQ(tables.size(), 2U);  // RSS was not attributed.
  EXPECT_EQ(tables[0]["headings"], Json({"per batch", "async: never waits"}));
  std::vector<std::string> costs;
  for (const Json& row : tables[0]["rows"]) costs.push_back(texts_of(row).back());
  EXPECT_THAT(costs, ElementsAre("2.60 ms", "120 ms", "0.100 µs", "20 batches", "back end",
                                 "12.0 s", "12.2 s", "-1.6 %", "5.00 GB", "5.10 GB", "-2.0 %",
                                 "12.0 s, 5.00 GB", "-"));
  EXPECT_THAT(texts_of(tables[0]["rows"][5]), ElementsAre("predicted total", "12.0 s"));
  EXPECT_THAT(texts_of(tables[1]["rows"][0]), ElementsAre("aten::nonzero", "1,200"));
}

TEST_F(SummaryTest, NamesThePartsOfRssAsTheirProbesDo) {
  Json record = test::some_record();
  record["memory"]["attribution"] = {{"time_seconds", 1.5},
                                     {"baseline_bytes", 380'000'000},
                                     {"parameters_bytes", 8'000'000},
                                     {"untouched_bytes", 1'000'000},
                                     {"later_bytes", "?"}};
  record["results"]["sample_columns"] = {
      {"parameters_bytes", {{"label", "parameters"}, {"rss_sign", 1}}},
      {"untouched_bytes", {{"label", "not touched yet"}, {"rss_sign", -1}}}};
  const Json tables =
      Summary({write_sweep("sweep", {record})}).to_json()["comparisons"][0]["tables"];

  EXPECT_EQ(tables[0]["title"], "What RSS was made of at its peak");
  ASSERT_EQ(tables[0]["rows"].size(), 4U);
  EXPECT_THAT(texts_of(tables[0]["rows"][1]), ElementsAre("parameters", "8.00 MB"));
  EXPECT_THAT(texts_of(tables[0]["rows"][2]), ElementsAre("− not touched yet", "1.00 MB"));
  EXPECT_THAT(texts_of(tables[0]["rows"][3]), ElementsAre("later", "-"));
}

TEST_F(SummaryTest, HasMediansAndSpreadsOfTheRunsThatAreOkAsMarkdownAndCsv) {
  std::vector<Json> records;
  for (const double seconds : {10.0, 14.0, 11.0, 0.1}) {
    records.push_back(test::cell_record("a", "none", static_cast<int>(records.size())));
    records.back()["time"]["total_seconds"] = seconds;
  }
  records.back()["status"] = "interrupted";
  records.push_back(test::cell_record("b", "a|b\nc"));
  const Summary summary({write_sweep("sweep", records)});

  EXPECT_THAT(summary.to_markdown(), HasSubstr("| 11.0 s (10.0 s to 14.0 s) |"));
  EXPECT_THAT(summary.to_markdown(), HasSubstr("| a\\|b c "));
  EXPECT_THAT(summary.to_csv(),
              HasSubstr("\nnone,\"3 ok, 1 interrupted\",0.26,0.26,0.26,11,10,14,"));
  EXPECT_THAT(summary.to_csv(), HasSubstr("\n\"a|b\nc\",1 ok,"));
}

TEST_F(SummaryTest, ComparesTwoSweepsThatHaveCellsInCommon) {
  const auto first = write_sweep("old", {test::cell_record("a", "none")});
  const auto second = write_sweep("new", {test::cell_record("a", "none")});
  const auto other = write_sweep("other", {test::cell_record("b", "window")});

  const Json document = Summary({first, second}).to_json();
  EXPECT_EQ(document["two_sweeps"]["sources"], Json({"old", "new"}));
  EXPECT_EQ(document["runs"][1]["name"], "new: policy none");
  const Summary apart({first, other});
  EXPECT_TRUE(apart.to_json()["two_sweeps"].is_null());
  EXPECT_THAT(apart.warnings(), ElementsAre(HasSubstr("have no cell in common")));
}

TEST_F(SummaryTest, ComparesTwoRunsAndNamesRunsByTheirFolders) {
  std::vector<std::filesystem::path> folders;
  for (const char* policy : {"none", "every_batch", "none"}) {
    folders.push_back(folder_.path() / ("r" + std::to_string(folders.size())));
    std::filesystem::create_directories(folders.back());
    Json record = test::cell_record("a", policy);
    record["axes"] = Json::object();
    std::ofstream(folders.back() / "record.json") << dump_json(record);
  }
  const Json two = Summary({folders[0], folders[1]}).to_json();
  const Json three = Summary(folders).to_json();

  EXPECT_EQ(two["two_sweeps"]["sources"], Json({"r0", "r1"}));
  EXPECT_EQ(two["two_sweeps"]["table"]["rows"][0]["cells"][0]["text"],
            "async: never waits → sync: waits after every batch (loss_value)");
  EXPECT_EQ(three["comparisons"].size(), 1U);
  EXPECT_EQ(three["comparisons"][0]["lines"].size(), 3U);
  EXPECT_EQ(three["comparisons"][0]["lines"][2]["label"], "r2: async: never waits");
  EXPECT_THAT(Summary(folders).to_csv(), HasSubstr("\nr2: async: never waits,1 ok,"));
}

TEST_F(SummaryTest, WarnsOfWhatIsNoRecordAndOfOtherVersions) {
  Json newer = test::some_record();
  newer["schema_version"] = 7;
  Json another = newer;
  another["repeat"] = 1;
  Json nameless = newer;
  nameless.erase("id");
  const Summary summary(
      {write_text("sweep", "[1]\n" + dump_json(newer) + "\n" + dump_json(another) + "\n\n" +
                               dump_json(nameless) + "\n{\"torn\": " + std::string(100'000, '['))});

  EXPECT_TRUE(summary.has_runs());
  EXPECT_THAT(
      summary.warnings(),
      ElementsAre(HasSubstr("line 1 is not a JSON object"),
                  HasSubstr("records.jsonl, line 5 has no id; it is left out"), HasSubstr("line 6"),
                  HasSubstr("line 2 and 1 more records have schema_version 7,")));
  EXPECT_FALSE(Summary({write_sweep("empty", {})}).has_runs());
}

/// Puts an odd value at a random place of `record`.
void damage(Json& record, std::mt19937& random) {
  static const Json odd = {nullptr,
                           true,
                           -1,
                           0,
                           1e308,
                           "",
                           "text",
                           Json::array(),
                           {1, "a"},
                           Json::object(),
                           {{"a", {{"b", Json::array()}}}}};
  Json* place = &record;
  while (true) {
    auto member = place->begin();
    std::advance(member, random() % place->size());
    if (!member->is_object() || member->empty() || random() % 3 == 0) {
      *member = odd[random() % odd.size()];
      return;
    }
    place = &*member;
  }
}

TEST_F(SummaryTest, TakesAnyValueInAnyPlace) {
  std::mt19937 random(7);
  std::vector<Json> records;
  for (int number = 0; number < 100; ++number) {
    records.push_back(test::cell_record("f", "none", number));
    for (auto times = 1 + random() % 3; times > 0; --times) damage(records.back(), random);
  }
  const auto first = write_sweep("old", records);
  const auto second = write_sweep("new", {records.rbegin(), records.rend()});
  const Summary one({first});
  const Summary two({first, second});

  EXPECT_FALSE(one.to_json()["comparisons"].empty());
  EXPECT_FALSE(one.to_csv().empty() || one.to_markdown().empty());
  EXPECT_FALSE(two.to_json()["two_sweeps"].is_null());
  EXPECT_FALSE(two.to_csv().empty() || two.to_markdown().empty());
}

}  // namespace
}  // namespace runahead::report
