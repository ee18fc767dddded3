// A sweep in which everything goes wrong that can.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "sweep_fault_fixture.h"

namespace runahead {
namespace {

using ::testing::SizeIs;

constexpr int kGoodConfigs = 54;
constexpr int kBadConfigs = 6;
constexpr std::uint64_t kMemoryLimitBytes = 200'000'000;
constexpr int kTimeoutSeconds = 8;  // A hundred times what the others take.
constexpr int kJobs = 12;           // Those that hang wait for their timeouts at the same time.

/// How the stub behaves in a cell, and the state that the cell must be in afterwards.
struct Fate {
  const char* mode;
  const char* status;
};

constexpr Fate kFates[] = {{"ok", "ok"},          {"segv", "crashed"},
                           {"hang", "timed_out"}, {"allocate", "out_of_memory"},
                           {"failed", "failed"},  {"abort", "crashed"},
                           {"daemon", "ok"},      {"stubborn", "timed_out"},
                           {"exit3", "skipped"},  {"flood", "ok"}};

class SweepStates : public test::SweepFaultTest {
 protected:
  static const Fate& fate_of(int seed) {
    return kFates[static_cast<std::size_t>(seed) % std::size(kFates)];
  }

  static std::string bad_seed(int number) { return "no number " + std::to_string(number); }

  /// Seeds, each with its fate, and cells whose config is refused.
  std::string sixty_cells() {
    std::string modes;
    Json seeds = Json::array();
    for (int seed = 0; seed < kGoodConfigs; ++seed) {
      modes += (modes.empty() ? "" : ",") + std::to_string(seed) + "=" + fate_of(seed).mode;
      seeds.push_back(seed);
    }
    for (int number = 0; number < kBadConfigs; ++number) seeds.push_back(bad_seed(number));
    environment_["STUB_CELL_MODES"] = modes;
    const Json sweep = {{"base", {{"experiment", "train"}, {"batches", 3}}},
                        {"axes", {{"/seed", seeds}}},
                        {"timeout", kTimeoutSeconds},
                        {"memory_limit", kMemoryLimitBytes},
                        {"jobs", kJobs}};
    return file("sixty.json", sweep.dump());
  }

  [[nodiscard]] std::map<std::string, Json> records_by_seed() const {
    std::map<std::string, Json> records;
    for (const Json& record : records_of(out())) records[record["axes"]["/seed"].dump()] = record;
    return records;
  }

  /// As the stub measures.
  static void expect_complete(const Json& record, int seed) {
    EXPECT_EQ(record["config"]["seed"], seed);
    EXPECT_EQ(record["time"]["total_seconds"], 1.5 + seed);
    EXPECT_EQ(record["memory"]["held_peak_bytes"], 2'000'000);
    EXPECT_EQ(record["backlog"]["batches_peak"], 7);
    EXPECT_EQ(record["loss"]["last"], 0.125);
  }
};

TEST_F(SweepStates, AreEachRightInTheEndAndTheGoodRecordsComplete) {
  const test::ProgramEnd end = runahead({"sweep", sixty_cells(), "--out", out()});
  const std::map<std::string, Json> records = records_by_seed();

  EXPECT_EQ(end.exit_code, 4) << end.err;
  ASSERT_THAT(records_of(out()), SizeIs(60));
  ASSERT_THAT(records, SizeIs(60));
  for (int seed = 0; seed < kGoodConfigs; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Json& record = records.at(std::to_string(seed));
    EXPECT_EQ(record["status"], fate_of(seed).status) << record["error"];
    EXPECT_EQ(record["error"].is_null(), record["status"] == "ok");
    EXPECT_EQ(record["cell"]["attempts"], 1);
    if (record["status"] == "ok") expect_complete(record, seed);
    if (record["status"] == "out_of_memory") {
      EXPECT_GT(record["cell"]["rss_peak_bytes"], kMemoryLimitBytes);
    }
  }
  for (int number = 0; number < kBadConfigs; ++number) {
    const Json& record = records.at(Json(bad_seed(number)).dump());
    EXPECT_EQ(record["status"], "skipped");
    EXPECT_FALSE(record["error"].is_null());
  }
}

}  // namespace
}  // namespace runahead
