#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <set>

#include "core/base/json.h"
#include "core/base/scratch_folder.h"
#include "core/report/cell_pairs.h"
#include "core/report/finding.h"
#include "core/report/labels.h"
#include "core/report/ratio.h"
#include "core/report/summary.h"

namespace runahead::report {
namespace {

/// A cell of a sweep over sync policies.
Json cell_record(const std::string& id, const std::string& policy, int repeat = 0) {
  Json record = read_json_file(RUNAHEAD_SOURCE_FOLDER "/tests/data/trained_record.json");
  record["id"] = id;
  record["repeat"] = repeat;
  record["axes"] = {{"/sync/policy", policy}};
  record["config"]["sync"] = {{"policy", policy}, {"wait", "loss_value"}};
  return record;
}

// What a summary says of good records is in tests/scripts/report_summary_test.py.
class SummaryTest : public ::testing::Test {
 protected:
  std::filesystem::path write_sweep(const std::string& name, const std::vector<Json>& records) {
    const std::filesystem::path folder = folder_.path() / name;
    std::filesystem::create_directories(folder);
    std::ofstream file(folder / "records.jsonl");
    for (const Json& record : records) file << dump_json(record) << "\n";
    return folder;
  }

  ScratchFolder folder_{};
};

TEST_F(SummaryTest, CountsRecordsOfShardsUntilTheyAreMerged) {
  Json interrupted = cell_record("a", "none");
  interrupted["status"] = "interrupted";
  const std::vector<Json> shards{interrupted, cell_record("a", "none", 1)};
  const std::filesystem::path folder = folder_.path() / "sweep";
  std::filesystem::create_directories(folder / "shards");
  for (std::size_t shard = 0; shard < shards.size(); ++shard) {
    const std::string name = std::to_string(shard) + "-of-2.jsonl";
    std::ofstream(folder / "shards" / name) << dump_json(shards[shard]) << "\n";
  }
  const Json before = Summary({folder}).to_json();
  EXPECT_EQ(before["overview"], "2 runs: 1 interrupted, 1 ok.");
  EXPECT_EQ(before["runs"][1]["path"], (folder / "shards/1-of-2.jsonl").string());

  write_sweep("sweep", {shards[0], shards[1], cell_record("a", "none")});
  EXPECT_EQ(Summary({folder}).to_json()["overview"], "2 runs: 2 ok.");
}

TEST_F(SummaryTest, KnowsAMergedRecordOfAShardWhateverKeysItHas) {
  Json first = cell_record("a", "none");
  first["ended_at"] = "2026-11-24T20:18:23Z";
  Json again = first;
  again["ended_at"] = "2026-11-24T20:19:00Z";
  const std::filesystem::path folder = write_sweep("sweep", {first, again});
  first["status"] = "failed";  // Stands for any difference in the texts of two versions.
  std::filesystem::create_directories(folder / "shards");
  std::ofstream(folder / "shards/0-of-1.jsonl") << dump_json(first) << "\n";
  EXPECT_EQ(Summary({folder}).to_json()["overview"], "1 run: 1 ok.");

  first["ended_at"] = "2026-11-24T20:20:00Z";
  std::ofstream(folder / "shards/0-of-1.jsonl") << dump_json(first) << "\n";
  EXPECT_EQ(Summary({folder}).to_json()["overview"], "1 run: 1 failed.");
}

TEST(Finding, OfAnInterruptedJobCountsTheBatchesThatWereLeftWhenItResumed) {
  Json record = cell_record("a", "none");
  record["status"] = "interrupted";
  record["config"]["batches"] = 100;
  record["results"]["batches_issued"] = 7;
  record["results"]["batches_finished"] = 6;
  EXPECT_NE(finding(record).find("7 of 100 batches issued, 6 finished"), std::string::npos);
  record["results"]["train"]["resumed_at_batch"] = 90;
  EXPECT_NE(finding(record).find("7 of 10 batches issued, 6 finished"), std::string::npos);
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
    records.push_back(cell_record("f", "none", number));
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

TEST(RatioOfTwo, CoversTheTrueRatioAsOftenAsItSays) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  int missed = 0;
  for (int trial = 0; trial < 2000; ++trial) {  // Unequal numbers and unequal scatter.
    std::vector<double> first;
    std::vector<double> second;
    for (int run = 0; run < 4; ++run) first.push_back(std::exp(0.05 * normal(random)));
    for (int run = 0; run < 7; ++run) second.push_back(2.0 * std::exp(0.2 * normal(random)));
    const Ratio found = of_two(first, second).value();
    missed += *found.lower > 2.0 || *found.upper < 2.0 ? 1 : 0;
  }
  EXPECT_GE(missed, 70);  // 100 of 2000 are expected, with a deviation of 10.
  EXPECT_LE(missed, 130);
}

TEST(RatioOfTwo, HasNoIntervalWithoutRepeatsOrScatterAndNoValueWithoutPositiveFigures) {
  const std::vector<double> one{2.0};
  const std::vector<double> equal{3.0, 3.0};
  const std::vector<double> zero{0.0, 1.0};
  const std::vector<double> wild_first{1e-300, 1e300};
  const std::vector<double> wild_second{1e-300, 1e299};

  EXPECT_NEAR(of_two(one, equal)->value, 1.5, 1e-12);
  EXPECT_FALSE(of_two(one, equal)->lower);
  EXPECT_FALSE(of_two(equal, equal)->chance);
  // The mean of three equal logarithms is often rounded to another number.
  for (double bytes = 300'003'328.0; bytes < 300'500'000.0; bytes += 4096.0) {
    const std::vector<double> first(3, bytes);
    const std::vector<double> second(3, bytes + 4096.0 * 1000.0);
    ASSERT_FALSE(of_two(first, second)->chance) << bytes;
  }
  EXPECT_FALSE(of_two(zero, equal));
  EXPECT_FALSE(of_two({}, equal));
  EXPECT_GT(*of_two(wild_first, wild_second)->lower, 0.0);
  EXPECT_TRUE(std::isfinite(*of_two(wild_first, wild_second)->upper));
}

TEST(RatioOverAll, IsTheGeometricMeanOfTheCells) {
  const Ratio found = over_all({{.value = 2.0}, {.value = 8.0}}).value();

  EXPECT_NEAR(found.value, 4.0, 1e-12);
  EXPECT_NEAR(std::log(*found.upper / 4.0), 12.7062 * std::log(2.0), 1e-3);
  EXPECT_FALSE(over_all({{.value = 2.0}, {.value = std::nextafter(2.0, 3.0)}})->chance);
  EXPECT_FALSE(over_all({{.value = 2.0}}));
  EXPECT_FALSE(over_all({}));
}

TEST(ChanceOfDifference, IsWelchsOverTheValues) {
  const std::vector<double> little{0.0, 4096.0, 8192.0};
  const std::vector<double> much{25e6, 25e6, 25e6};
  // t = 24995904 / sqrt(4096^2 / 3) = 10569.9, 2 degrees of freedom.
  EXPECT_NEAR(chance_of_difference(little, much).value() * 1e9, 8.951, 0.01);
  EXPECT_GT(chance_of_difference({{0.0, 9.0}}, {{8.0, 9.0}}), 0.3);
  EXPECT_FALSE(chance_of_difference({{0.0, 0.0}}, much)) << "nothing scatters";
  EXPECT_FALSE(chance_of_difference({{0.0}}, much));
  EXPECT_FALSE(chance_of_difference({{0.0, std::nan("")}}, much));
}

TEST(Discoveries, GoUpToTheLastThatIsBelowItsShare) {
  // Limits by rank are 0.0125, 0.025, 0.0375 and 0.05: the third is below its own, hence the second
  // is named, too.
  EXPECT_EQ(discoveries({0.5, 0.001, 0.036, 0.03}), (std::set<std::size_t>{1, 2, 3}));
  EXPECT_EQ(discoveries({0.5, 0.013, 0.03, 0.04}), std::set<std::size_t>{});
  EXPECT_EQ(discoveries({std::nullopt, std::nullopt}), std::set<std::size_t>{});
}

TEST(KeepOneVersion, KeepsTheOneThatWroteLastWhateverTheNamesOfItsFiles) {
  const auto run = [](const char* file, const char* version, const char* ended_at) {
    return report::Run{.record = {{"ended_at", ended_at}, {"environment", {{"runahead", version}}}},
                       .path = file};
  };
  std::vector<report::Run> runs{run("10-of-10.jsonl", "0.2.0", "2026-06-01T00:00:00Z"),
                                run("2-of-10.jsonl", "0.1.0", "2026-01-01T00:00:00Z")};
  std::vector<std::string> warnings;
  keep_one_version(runs, warnings);

  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.front().path, "10-of-10.jsonl");
  EXPECT_EQ(warnings.size(), 1U);
}

TEST(SettingLabel, NamesTheFeaturesWhereThereIsNoModel) {
  const Json config{
      {"device", "cpu"}, {"data", {{"features", 512}, {"batch_size", 16}}}, {"batches", 40}};
  EXPECT_EQ(setting_label(config), "cpu · 512 features · 40 batches of 16");
}

}  // namespace
}  // namespace runahead::report
