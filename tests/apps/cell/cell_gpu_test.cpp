#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "apps/runahead/program_runner.h"
#include "core/base/json.h"
#include "core/base/scratch_folder.h"
#include "core/record/record_file.h"
#include "support/gpu.h"
#include "support/text_file.h"

namespace runahead::test {
namespace {

/// Runs `runahead-cell` on a small experiment, in a folder of its own, on a CUDA device: skipped
/// without one, unless RUNAHEAD_EXPECT_GPU=1.
class CellGpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const ProgramEnd end = cell({"devices", "--json"});
    ASSERT_EQ(end.exit_code, 0) << end.err;
    const Json cuda = parse_json(end.out, "stdout").at(2);
    RUNAHEAD_NEEDS_GPU(cuda.at("available").get<bool>() ? "" : cuda.at("what").get<std::string>());
  }

  /// A config of a small MLP, with `changes` merged into it.
  std::string config(const Json& changes = Json::object()) {
    Json document = {{"experiment", "train"},
                     {"batches", 4},
                     {"model", {{"layers", {8, 1}}}},
                     {"data", {{"features", 4}, {"batch_size", 8}}},
                     {"threads", {{"pin", false}}}};
    document.merge_patch(changes);
    return write_text(folder_.path() / "config.json", dump_json(document)).string();
  }

  [[nodiscard]] ProgramEnd cell(const std::vector<std::string>& arguments) const {
    return Program(folder_.path(), RUNAHEAD_CELL, arguments).wait();
  }

  [[nodiscard]] std::string out() const { return (folder_.path() / "out").string(); }
  [[nodiscard]] record::Record record() const {
    return record::read_record(folder_.path() / "out" / "record.json");
  }

 private:
  ScratchFolder folder_;
};

}  // namespace
}  // namespace runahead::test

namespace runahead {
namespace {

// What the program does with a CUDA device: skipped without one, unless RUNAHEAD_EXPECT_GPU=1.

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

// What a run on a CUDA device leaves: skipped without one, unless RUNAHEAD_EXPECT_GPU=1.

using record::Status;

class CellRunOnCuda : public test::CellGpuTest {
 protected:
  /// Runs the small experiment on cuda, with `changes`; what it leaves is in record().
  ProgramEnd run(Json changes = Json::object()) {
    std::filesystem::remove_all(out());
    changes["device"] = "cuda";
    return cell({"run", config(changes), "--out", out()});
  }

  [[nodiscard]] Json cuda_memory() const { return record().memory.cuda; }
};

TEST_F(CellRunOnCuda, LossesDoNotDependOnTheWaits) {
  EXPECT_EQ(run({{"sync", {{"policy", "every_batch"}}}}).exit_code, 0);
  const record::LossFigures waited = record().loss;
  ASSERT_TRUE(waited.first && waited.last);

  for (const char* policy : {"none", "every_n", "window", "budget", "adaptive"}) {
    EXPECT_EQ(run({{"sync", {{"policy", policy}}}}).exit_code, 0) << policy;
    EXPECT_EQ(record().loss.first, waited.first) << policy;
    EXPECT_EQ(record().loss.last, waited.last) << policy;
  }
}

TEST_F(CellRunOnCuda, TheRecordHasWhatTheAdaptivePolicyChose) {
  EXPECT_EQ(run({{"sync", {{"policy", "adaptive"}}}}).exit_code, 0);

  const Json& adaptive = record().results.at("adaptive");
  ASSERT_FALSE(adaptive.at("batches").empty());
  EXPECT_GE(adaptive.at("batches").front().at(1).get<int>(), 2);
}

TEST_F(CellRunOnCuda, LossesDoNotDependOnTheWayToTheDevice) {
  EXPECT_EQ(run().exit_code, 0);
  const record::LossFigures plain = record().loss;
  ASSERT_TRUE(plain.last);
  for (const char* staging : {"pageable", "pinned", "pinned_ring"}) {
    for (const char* copies : {"in_order", "side_record_stream", "side_reuse"}) {
      const ProgramEnd end = run({{"sync", {{"policy", "none"}}},
                                  {"batches", 32},
                                  {"cuda", {{"staging", staging}, {"copies", copies}}}});
      EXPECT_EQ(end.exit_code, 0) << staging << ", " << copies << ": " << end.err;
      EXPECT_EQ(record().loss.first, plain.first) << staging << ", " << copies;
    }
  }
}

TEST_F(CellRunOnCuda, TheRecordHasTheMemoryAndTheDevice) {
  EXPECT_EQ(run().exit_code, 0);

  EXPECT_GT(cuda_memory().at("allocated_peak_bytes").get<std::uint64_t>(), 0U);
  EXPECT_GE(cuda_memory().at("reserved_peak_bytes"), cuda_memory().at("allocated_peak_bytes"));
  EXPECT_TRUE(cuda_memory().at("available").at("allocator").get<bool>());
  EXPECT_TRUE(record().environment.gpu);
  EXPECT_TRUE(record().environment.cuda);
}

TEST_F(CellRunOnCuda, ABudgetBoundsWhatBatchesKeep) {
  // A batch of 64 rows of 128 and 1 float32.
  constexpr std::uint64_t kBatchBytes = 64 * (128 + 1) * 4;
  const ProgramEnd end = run({{"batches", 64},
                              {"data", {{"features", 128}, {"batch_size", 64}}},
                              {"cuda", {{"staging", "pinned"}}},
                              {"sync", {{"policy", "budget"}, {"bytes", 2 * kBatchBytes}}}});

  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_GE(record().backlog.bytes_peak.value(), kBatchBytes);
  EXPECT_LE(record().backlog.bytes_peak.value(), 2 * kBatchBytes);
}

TEST_F(CellRunOnCuda, TheAllocatorIsTheOneAskedFor) {
  EXPECT_EQ(run().exit_code, 0);
  EXPECT_EQ(cuda_memory().at("allocator"), "native");

  const ProgramEnd pool = run({{"cuda", {{"allocator", "cuda_malloc_async"}}}});
  EXPECT_EQ(pool.exit_code, 0) << pool.err;
  EXPECT_EQ(cuda_memory().at("allocator"), "cudaMallocAsync");
  EXPECT_GT(cuda_memory().at("pool_used_peak_bytes").get<std::uint64_t>(), 0U);

  const ProgramEnd expandable = run({{"cuda", {{"expandable_segments", true}}}});
  EXPECT_EQ(expandable.exit_code, 0) << expandable.err;
  EXPECT_EQ(cuda_memory().at("allocator"), "native");
}

TEST_F(CellRunOnCuda, OutOfMemoryIsAStateAndTheNextRunGoesOn) {
  // The hidden layer of a batch takes 800 GB.
  const ProgramEnd too_much = run({{"model", {{"layers", {200'000, 1}}}},
                                   {"data", {{"features", 1}, {"batch_size", 1'000'000}}}});
  EXPECT_EQ(too_much.exit_code, 1) << too_much.err;
  EXPECT_EQ(record().status, Status::kOutOfMemory) << record().error.value_or("");
  EXPECT_NE(cuda_memory().at("out_of_memory_summary").get<std::string>().find("could not be had"),
            std::string::npos);

  EXPECT_EQ(run({{"data", {{"batch_size", 16}}}}).exit_code, 0);
  EXPECT_EQ(record().status, Status::kOk);
  EXPECT_TRUE(cuda_memory().at("out_of_memory_summary").is_null());
}

}  // namespace
}  // namespace runahead
