// The claims on CUDA, on what an H100 measured: all hold, and each change of the results fails
// exactly the claims that it is about.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/config/sweep_config.h"
#include "core/record/record_file.h"
#include "core/reproduce/claims.h"
#include "core/reproduce/cuda_judges.h"
#include "core/reproduce/gpu_check_results.h"
#include "core/sweep/plan.h"
#include "support/temporary_folder.h"

namespace runahead::reproduce {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const fs::path kMeasured = RUNAHEAD_H100_FOLDER;
const fs::path kCudaConfigs = fs::path(RUNAHEAD_SOURCE_FOLDER) / "configs" / "cuda";

using Records = std::map<std::string, std::vector<record::Record>>;  // By sweep.

Records measured_records() {
  Records records;
  for (const std::string& sweep : cuda_sweeps()) {
    records[sweep] = record::read_records(kMeasured / sweep / "records.jsonl");
  }
  return records;
}

/// The run of the chart that has these values; nullopt if they are not in the chart.
std::optional<std::string> run_in(const CudaChart& chart, const Json& axes) {
  const bool is_in_chart =
      chart.pointer.empty() || axes.value(chart.pointer, Json()) == chart.value;
  if (!is_in_chart) return std::nullopt;
  return chart.run(axes.value("/sync/policy", ""));
}

class CudaClaims : public ::testing::Test {
 protected:
  CudaClaims() {
    fs::copy(kMeasured, folder_.path(), fs::copy_options::recursive);
    // The tests that need a GPU were not a part of it.
    write("tests.xml", R"(<?xml version="1.0"?>
<testsuite name="gpu" tests="12" failures="0" disabled="0" skipped="0"/>)");
  }

  void write(const std::string& name, const std::string& text) {
    write_file_atomically(folder_.path() / name, text);
  }

  /// The claims that do not hold, by id.
  [[nodiscard]] std::vector<std::string> failing() const {
    for (const auto& [sweep, records] : records_) {
      const fs::path folder = folder_.path() / sweep;
      std::string lines;
      for (const auto& record : records) lines += dump_json(record::to_json(record)) + "\n";
      write_file_atomically(folder / "records.jsonl", lines);
      Json config = read_json_file(kMeasured / sweep / "sweep.json");
      config["repeats"] = std::min(config["repeats"].get<int>(), most_repeats_);
      write_file_atomically(folder / "sweep.json", dump_json(config));
    }
    const Measured measured = read_gpu_check(folder_.path(), kCudaConfigs);
    std::vector<std::string> ids;
    for (const Claim& claim : cuda_claims().claims) {
      if (!claim.judge(measured).holds.value_or(false)) ids.push_back(claim.id);
    }
    return ids;
  }

  [[nodiscard]] std::vector<record::Record*> records_of(const std::string& run) {
    std::vector<record::Record*> found;
    for (const CudaChart& chart : cuda_charts()) {
      for (record::Record& record : records_.at(chart.sweep)) {
        if (run_in(chart, record.axes) == run) found.push_back(&record);
      }
    }
    return found;
  }

  [[nodiscard]] std::uint64_t bytes_of(const std::string& run, const char* key) {
    return records_of(run).at(0)->memory.cuda.at(key).get<std::uint64_t>();
  }

  /// The same after `change` of the records of one run.
  [[nodiscard]] std::vector<std::string> failing_after(
      const std::string& run, const std::function<void(record::Record&)>& change) {
    const Records kept = records_;
    for (record::Record* const record : records_of(run)) change(*record);
    auto ids = failing();
    records_ = kept;
    return ids;
  }

  ::runahead::test::TemporaryFolder folder_{};
  Records records_ = measured_records();
  int most_repeats_ = 5;  // That any sweep was asked for.
};

TEST_F(CudaClaims, HoldOfWhatAnH100MeasuredAndAreNotMeasuredWithoutIt) {
  EXPECT_THAT(failing(), IsEmpty());

  std::set<std::string> ids;
  const Measured nothing;
  for (const Claim& claim : cuda_claims().claims) {
    EXPECT_TRUE(ids.insert(claim.id).second) << claim.id;
    EXPECT_EQ(claim.judge(nothing).holds, std::nullopt) << claim.id;
    EXPECT_EQ(claim.expected.on_cuda, Expectation::kHolds);
  }
  EXPECT_THROW(static_cast<void>(read_gpu_check("/nowhere", kCudaConfigs)), ConfigError);
}

TEST(CudaCharts, CoverEveryCellOfEverySweep) {
  std::set<std::string> sweeps;
  for (const auto& file : fs::directory_iterator(kCudaConfigs)) {
    if (file.path().extension() == ".json") sweeps.insert(file.path().stem().string());
  }
  EXPECT_EQ(std::set<std::string>(cuda_sweeps().begin(), cuda_sweeps().end()), sweeps);

  for (const std::string& sweep : cuda_sweeps()) {
    if (sweep == "out_of_memory") continue;
    const sweep::Plan plan =
        sweep::make_plan(config::load_sweep(kCudaConfigs / (sweep + ".json")), sweep);
    for (std::size_t cell = 0; cell < plan.cells.size(); ++cell) {
      const Json axes = plan.cells.axes(cell);
      const auto charts = std::ranges::count_if(cuda_charts(), [&](const CudaChart& chart) {
        const auto runs = chart.runs();
        const auto run = run_in(chart, axes);
        return chart.sweep == sweep && run && std::ranges::count(runs, *run) == 1;
      });
      EXPECT_EQ(charts, 1) << sweep << " " << axes;
    }
  }
}

TEST(CudaJudges, GiveBothLossesOfRunsThatDifferInOne) {
  const CudaChart chart{.sweep = "losses", .policies = {"none", "window"}};
  Measured measured;
  for (const std::string& policy : chart.policies) {
    record::Record record;
    record.loss = {.first = policy == "none" ? 1.0 : 2.0, .last = 0.5};
    measured.add(chart.run(policy), record);
  }
  const Finding finding = losses_are_equal(chart)(measured);
  EXPECT_EQ(finding.holds, false);
  EXPECT_EQ(finding.measured, "loss from 1.0 to 0.5, from 2.0 to 0.5");
}

TEST_F(CudaClaims, FailWithTheFiguresThatTheyAreAbout) {
  struct Case {
    std::string run{};
    std::function<void(record::Record&)> change{};
    std::vector<std::string> failing{};
  };
  const auto set = [](const char* key, std::uint64_t bytes) {
    return [key, bytes](record::Record& record) { record.memory.cuda[key] = bytes; };
  };
  for (auto& [sweep, records] : records_) {
    for (record::Record& record : records) record.time.total_seconds = 2.0;
  }
  const Case cases[] = {
      {"losses: 16, none",
       [](auto& record) { record.time.total_seconds = 2.0 / 0.97; },
       {"cuda.losses.16.none_keeps_the_throughput"}},
      {"plain, window",
       [](auto& record) { record.time.total_seconds = 2.0 / 0.98; },
       {"cuda.plain.window_keeps_the_throughput"}},
      {"allocator: native, none",
       [](auto& record) { *record.loss.last *= 1.1; },
       {"cuda.allocator.native.losses_are_equal"}},
      {"staging: pageable, every_batch",
       [](auto& record) { record.time.t1_seconds = 0.21 * *record.time.t2_seconds; },
       {"cuda.staging.pageable.batches_queue"}},
      {"outputs: kept, none",
       [](auto& record) { record.time.issue_seconds = record.time.total_seconds; },
       {"cuda.outputs.kept.batches_queue"}},
      {"outputs: kept, none",  // As of a run that issued more batches than have their time kept.
       [](auto& record) { record.time.batch_finished_seconds->resize(4); },
       {}},
      {"outputs: kept, none",
       set("active_peak_bytes", bytes_of("outputs: dropped, none", "active_peak_bytes")),
       {"cuda.outputs.kept.predictions_stay"}},
      {"plain, adaptive",
       set("reserved_peak_bytes", bytes_of("plain, none", "reserved_peak_bytes") / 100 * 103),
       {"cuda.plain.reserved_memory_is_flat"}},
      {"plain, window",
       [](auto& record) { *record.backlog.bytes_peak *= 2; },
       {"cuda.plain.window_bounds_bytes"}},
      {"plain, window",
       set("pinned_peak_bytes", std::uint64_t{17} << 20),
       {"cuda.plain.window_bounds_pinned_memory"}},
      {"staging: pinned, none",
       set("pinned_peak_bytes", std::uint64_t{50} << 20),
       {"cuda.staging.pinned.pinned_memory_grows"}},
      {"staging: pinned, budget",
       [](auto& record) { record.backlog.bytes_peak = 17 << 20; },
       {"cuda.staging.pinned.budget_bounds_bytes"}},
      {"staging: pinned, budget",
       set("pinned_peak_bytes", 1 << 20),
       {"cuda.staging.pinned.budget_bounds_pinned_memory"}},
      {"staging: pinned_ring, none",
       set("pinned_peak_bytes", std::uint64_t{22} << 20),
       {"cuda.staging.pinned_ring.pinned_memory_is_constant"}},
      {"copies: side_record_stream, window",
       set("active_peak_bytes",
           bytes_of("copies: side_record_stream, every_batch", "active_peak_bytes")),
       {"cuda.copies.side_record_stream.window_bounds_deferred_frees"}},
      {"copies: side_reuse, none",
       [](auto& record) { record.backlog.batches_peak = 2; },
       {"cuda.copies.side_reuse.memory_is_constant"}},
      {"expandable_segments: true, none",
       set("active_peak_bytes",
           bytes_of("expandable_segments: true, every_batch", "active_peak_bytes")),
       {"cuda.expandable_segments.true.memory_grows"}},
      {"launch_queue: kept",
       [](auto& record) { record.results["launch_queue"]["kept_bytes"] = 1e8; },
       {"cuda.launch_queue.kept.launches_keep_outputs"}},
      {"launch_queue: dropped",
       [](auto& record) { record.results["launch_queue"]["depth_unknown_because"] = "slow"; },
       {"cuda.launch_queue.dropped.launching_blocks"}},
      {"plain, none",
       [](auto& record) { record.backlog.batches_peak = 8; },
       {"cuda.plain.allocated_memory_is_flat", "cuda.plain.reserved_memory_is_flat",
        "cuda.plain.used_memory_is_flat"}},
  };
  for (const Case& example : cases) {
    EXPECT_EQ(failing_after(example.run, example.change), example.failing) << example.run;
  }
}

TEST_F(CudaClaims, AskForAsManyRunsAsTheSweepsWere) {
  for (auto& [sweep, records] : records_) {
    std::erase_if(records, [](const record::Record& record) { return record.repeat > 1; });
  }
  most_repeats_ = 2;
  EXPECT_THAT(failing(), IsEmpty());
  most_repeats_ = 3;
  EXPECT_THAT(failing(), Contains("cuda.plain.is_whole"));
}

TEST_F(CudaClaims, FailWithRunsThatDidNotEndAsTheyShould) {
  const auto fail = [](record::Record& record) { record.status = record::Status::kFailed; };
  EXPECT_THAT(failing_after("launch_queue: dropped", fail),
              UnorderedElementsAre("cuda.launch_queue.dropped.launching_blocks",
                                   "cuda.launch_queue.is_whole"));

  record::Record& too_large = records_.at("out_of_memory").at(1);
  too_large.memory.cuda["out_of_memory_summary"] = "";
  EXPECT_THAT(failing(), UnorderedElementsAre("cuda.out_of_memory.has_a_summary"));
  too_large.status = record::Status::kOk;
  EXPECT_THAT(failing(), UnorderedElementsAre("cuda.out_of_memory.has_a_summary",
                                              "cuda.out_of_memory.is_whole"));
}

TEST_F(CudaClaims, CountTheLastRecordOfACell) {
  record::Record failed = records_.at("plain").front();
  failed.status = record::Status::kFailed;
  records_.at("plain").insert(records_.at("plain").begin(), failed);
  EXPECT_THAT(failing(), IsEmpty());

  records_.at("losses").pop_back();
  EXPECT_THAT(failing(), ::testing::Contains("cuda.losses.is_whole"));
}

TEST_F(CudaClaims, FailWithWhatTheFolderLacks) {
  write("tests.xml", R"(<testsuite name="gpu" tests="12" failures="0" skipped="1"/>)");
  EXPECT_THAT(failing(), UnorderedElementsAre("cuda.tests.pass"));
  write("tests.xml", R"(<testsuite name="gpu")");
  EXPECT_THAT(failing(), UnorderedElementsAre("cuda.tests.pass"));
  write("tests.xml", R"(<testsuite tests="1" failures="0" skipped="0">)");
  fs::remove(folder_.path() / "transfer.json");
  EXPECT_THAT(failing(), UnorderedElementsAre("cuda.programs.end_well"));
  fs::copy(kMeasured / "transfer.json", folder_.path());
  records_.at("copies").front().environment.git = "another";
  EXPECT_THAT(failing(), UnorderedElementsAre("cuda.versions.are_one"));
}

}  // namespace
}  // namespace runahead::reproduce
