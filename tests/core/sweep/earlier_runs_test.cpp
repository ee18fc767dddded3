#include "core/sweep/earlier_runs.h"

#include <gtest/gtest.h>

#include "core/config/experiment_config.h"
#include "core/config/sweep_config.h"
#include "core/record/record.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead::sweep {
namespace {

TEST(VersionOf, NamesTheRevision) {
  record::Environment environment;
  environment.runahead = "0.1.0";
  EXPECT_EQ(version_of(environment), "0.1.0");
  environment.git = "abc";
  EXPECT_EQ(version_of(environment), "0.1.0 (abc)");
}

// A folder that was begun before ids left out defaults: the default config had this id then, and
// its record lacks the keys that came later.
TEST(EarlierRuns, CountUnderTheIdThatTheirVersionGaveTheirConfig) {
  const runahead::test::TemporaryFolder folder;
  const Plan plan =
      make_plan(config::read_sweep(
                    parse_json(R"({"base": {"experiment": "train"}, "axes": {"/seed": [0, 1]}})",
                               "sweep.json"),
                    "sweep.json", folder.path()),
                "sweep.json");
  record::Record record = record::make_record(plan.cells.front().config, 0, Json::object());
  record.environment = record::collect_environment();
  record.id = "c7cbaa2216fed4f4e23b4aa0d04ff7ffc03d1114a53f7e17d200f33718f5ad92";
  record.config.erase("log_every");
  record.config["cuda"].erase("copies");
  runahead::test::write_text(folder.path() / "records.jsonl",
                             dump_json(record::to_json(record)) + "\n");

  const EarlierRuns earlier = read_earlier_runs(plan, folder.path() / "records.jsonl");

  EXPECT_TRUE(earlier.runs[0][0].has_value());
  EXPECT_FALSE(earlier.runs[1][0].has_value());
}

}  // namespace
}  // namespace runahead::sweep
