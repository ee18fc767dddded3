// What the program does with a CUDA device: skipped without one, unless RUNAHEAD_EXPECT_GPU=1.
#include <string>

#include "cell_gpu_fixture.h"

namespace runahead {
namespace {

using test::ProgramEnd;

class CellOnCuda : public test::CellGpuTest {
 protected:
  /// `results.launch_queue` of a run whose outputs are "kept" or "dropped".
  Json launch_queue(const std::string& outputs) {
    const Json changes = {{"experiment", "launch_queue"},
                          {"device", "cuda"},
                          {"batches", nullptr},
                          {"model", nullptr},
                          {"data", nullptr},
                          {"outputs", outputs},
                          {"hold_seconds", 1.0},
                          {"repeats", 1}};
    const ProgramEnd end = cell({"run", config(changes), "--out", out() + outputs, "--json"});
    EXPECT_EQ(end.exit_code, 0) << end.err;
    return parse_json(end.out, "stdout").at("results").at("launch_queue");
  }
};

TEST_F(CellOnCuda, TheLaunchQueueHasABottom) {
  const Json dropped = launch_queue("dropped");
  const Json kept = launch_queue("kept");

  for (const Json& results : {dropped, kept}) {
    ASSERT_TRUE(results.at("depth").is_object()) << results;
    EXPECT_GT(results.at("depth").at("median").get<double>(), 1.0) << results;
  }
  EXPECT_EQ(dropped.at("kept_bytes").at("median").get<double>(), 0.0)
      << "what a launch drops the next one has, in the order of the stream";
  EXPECT_GE(kept.at("kept_bytes").at("median").get<double>(),
            8.0 * kept.at("depth").at("median").get<double>());
}

TEST_F(CellOnCuda, BenchTransferMeasuresEverySizeEachWay) {
  const ProgramEnd end = cell({"bench-transfer"});
  ASSERT_EQ(end.exit_code, 0) << end.err;

  const Json sizes = parse_json(end.out, "stdout").at("sizes");
  EXPECT_EQ(sizes.size(), 9U);
  for (const Json& size : sizes) {
    for (const char* way :
         {"pageable_blocking", "pageable_non_blocking", "pinned_blocking", "pinned_non_blocking"}) {
      EXPECT_GT(size.at(way).at("gb_per_second").get<double>(), 0.0) << size;
      EXPECT_GT(size.at(way).at("issue_us").get<double>(), 0.0) << size;
    }
  }
}

}  // namespace
}  // namespace runahead
