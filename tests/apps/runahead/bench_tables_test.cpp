// The tables of benchmarks whose figures differ from run to run.

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "apps/runahead/benchmarks.h"
#include "support/golden.h"

namespace runahead::apps {
namespace {

TEST(BenchTables, ShowTheFiguresOfEveryBenchmark) {
  const std::string golden = RUNAHEAD_SOURCE_FOLDER "/tests/apps/golden/bench_";
  const std::pair<const char*, std::string (*)(const Json&)> tables[] = {
      {"engine", engine_bench_table},
      {"monitor", monitor_bench_table},
      {"sweep", sweep_bench_table}};
  for (const auto& [name, table] : tables) {
    test::expect_golden(golden + name + ".txt", table(read_json_file(golden + name + ".json")));
  }
}

}  // namespace
}  // namespace runahead::apps
