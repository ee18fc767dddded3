// The claims on CUDA, on made-up results of scripts/gpu_check: all hold, and each change of the
// results fails exactly the claims that it is about.

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
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const fs::path kCudaConfigs = fs::path(RUNAHEAD_SOURCE_FOLDER) / "configs" / "cuda";
constexpr std::uint64_t kDeviceBytes = std::uint64_t{1} << 30;
constexpr double kDepth = 1000.0;
const std::map<std::string, std::uint64_t> kInFlight{
    {"every_batch", 1}, {"window", 2}, {"adaptive", 2}, {"budget", 3}, {"none", 21}};

using Records = std::map<std::string, std::vector<record::Record>>;  // By sweep.

std::uint64_t batch_bytes(const record::Record& record) {
  const Json& data = record.config["data"];
  return (data["features"].get<std::uint64_t>() + data["targets"]["width"].get<std::uint64_t>()) *
         data["batch_size"].get<std::uint64_t>() * 4;
}

/// A launch queue of 1,000.
void fill_launch_queue(record::Record& record) {
  const bool is_kept = record.config["outputs"] == "kept";
  record.results["launch_queue"] = {
      {"depth", {{"median", kDepth}, {"min", kDepth}, {"max", kDepth}, {"count", 5}}},
      {"depth_unknown_because", nullptr},
      {"kept_bytes", is_kept ? kDepth * 256 * 256 * 4 : 0.0}};
}

/// A run in which the mechanism of its chart grows with the batches in flight, and nothing else.
void fill(const std::string& sweep, record::Record& record) {
  if (sweep == "launch_queue") return fill_launch_queue(record);
  const Json& config = record.config;
  const std::string policy = config["sync"]["policy"];
  const bool has_few_buffers = policy == "none" && config["cuda"]["copies"] == "side_reuse";
  const std::uint64_t batches = has_few_buffers ? 5 : kInFlight.at(policy);
  record.time.total_seconds = 2.0;
  record.time.issue_seconds = 0.004;
  record.time.t1_seconds = 0.002;
  record.time.t2_seconds = 0.034;
  record.time.batch_finished_seconds = {0.012, 0.024, 0.036, 0.048};
  record.backlog.batches_peak = batches;
  record.backlog.bytes_peak = batches * batch_bytes(record);
  record.loss = {.first = 0.6, .last = 0.25};
  record.memory.cuda = {{"allocated_peak_bytes", kDeviceBytes},
                        {"reserved_peak_bytes", kDeviceBytes},
                        {"used_peak_bytes", kDeviceBytes},
                        {"active_peak_bytes", kDeviceBytes},
                        {"pinned_peak_bytes", 4 * batch_bytes(record)}};
  if (config["cuda"]["staging"] == "pinned") {
    record.memory.cuda["pinned_peak_bytes"] = *record.backlog.bytes_peak;
  }
  if (config["cuda"]["copies"] == "side_record_stream") {
    record.memory.cuda["active_peak_bytes"] = kDeviceBytes + *record.backlog.bytes_peak;
  }
  if (config["experiment"] == "predict") {
    record.loss = {};
    const std::uint64_t outputs = std::uint64_t{48} * 4096 * 1024 * 4;
    if (config["outputs"] == "kept")
      record.memory.cuda["active_peak_bytes"] = kDeviceBytes + outputs;
  }
  if (sweep == "out_of_memory" && config["data"]["batch_size"] == 16'777'216) {
    record.status = record::Status::kOutOfMemory;
    record.memory.cuda["out_of_memory_summary"] = "allocated 137 GB";
  }
}

/// Every repeat of every cell of configs/cuda, all as expected.
Records expected_records() {
  Records records;
  for (const std::string& sweep : cuda_sweeps()) {
    const config::SweepConfig config = config::load_sweep(kCudaConfigs / (sweep + ".json"));
    const sweep::Plan plan = sweep::make_plan(config, sweep);
    for (std::int64_t repeat = 0; repeat < config.repeats; ++repeat) {
      for (std::size_t cell = 0; cell < plan.cells.size(); ++cell) {
        const sweep::Cell made = plan.cells[cell];
        records[sweep].push_back(record::make_record(made.config, repeat, made.axes));
        fill(sweep, records[sweep].back());
      }
    }
  }
  return records;
}

class CudaClaims : public ::testing::Test {
 protected:
  CudaClaims() {
    write("tests.xml", R"(<?xml version="1.0"?>
<testsuite name="gpu" tests="12" failures="0" disabled="0" skipped="0"/>)");
    write("transfer.json", "{}");
    const auto config = config::read_experiment({{"experiment", "train"}}, "test");
    for (const auto& file : fs::directory_iterator(kCudaConfigs / "tutorials")) {
      const fs::path folder = folder_.path() / "tutorials" / file.path().stem();
      fs::create_directories(folder);
      record::write_record(folder / "record.json", record::make_record(config, 0, Json::object()));
    }
  }

  void write(const std::string& name, const std::string& text) {
    write_file_atomically(folder_.path() / name, text);
  }

  /// The claims that do not hold, by id.
  [[nodiscard]] std::vector<std::string> failing() const {
    for (const auto& [sweep, records] : records_) {
      const fs::path path = folder_.path() / sweep / "records.jsonl";
      fs::remove_all(path.parent_path());
      fs::create_directories(path.parent_path());
      std::string lines;
      for (const auto& record : records) lines += dump_json(record::to_json(record)) + "\n";
      write_file_atomically(path, lines);
      Json config = config::to_json(config::load_sweep(kCudaConfigs / (sweep + ".json")));
      config["repeats"] = std::min(config["repeats"].get<int>(), most_repeats_);
      write_file_atomically(path.parent_path() / "sweep.json", dump_json(config));
    }
    return failing_in(folder_.path());
  }

  [[nodiscard]] static std::vector<std::string> failing_in(const fs::path& folder) {
    const Measured measured = read_gpu_check(folder, kCudaConfigs);
    std::vector<std::string> ids;
    for (const Claim& claim : cuda_claims().claims) {
      if (!claim.judge(measured).holds.value_or(false)) ids.push_back(claim.id);
    }
    return ids;
  }

  /// The same after `change` of the runs of one chart and policy.
  [[nodiscard]] std::vector<std::string> failing_after(
      const std::string& run, const std::function<void(record::Record&)>& change) {
    const Records kept = records_;
    for (const CudaChart& chart : cuda_charts()) {
      for (record::Record& record : records_.at(chart.sweep)) {
        const bool is_in_chart = chart.pointer.empty() || record.axes[chart.pointer] == chart.value;
        if (is_in_chart && chart.run(record.axes.value("/sync/policy", "")) == run) change(record);
      }
    }
    const auto ids = failing();
    records_ = kept;
    return ids;
  }

  ::runahead::test::TemporaryFolder folder_{};
  Records records_ = expected_records();
  int most_repeats_ = 5;  // That any sweep was asked for.
};

TEST_F(CudaClaims, HoldOfResultsThatAreAsExpectedAndAreNotMeasuredWithoutThem) {
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

TEST_F(CudaClaims, CoverEveryCellOfEverySweep) {
  std::set<std::string> sweeps;
  for (const auto& file : fs::directory_iterator(kCudaConfigs)) {
    if (file.path().extension() == ".json") sweeps.insert(file.path().stem().string());
  }
  EXPECT_EQ(std::set<std::string>(cuda_sweeps().begin(), cuda_sweeps().end()), sweeps);

  const Measured measured = [this] {
    static_cast<void>(failing());
    return read_gpu_check(folder_.path(), kCudaConfigs);
  }();
  std::map<std::string, std::size_t> found;
  for (const CudaChart& chart : cuda_charts()) {
    for (const std::string& run : chart.runs()) {
      found[chart.sweep] += measured.values(run, "/status").size();
    }
  }
  for (const auto& [sweep, records] : records_) {
    if (sweep == "out_of_memory") continue;
    EXPECT_EQ(found[sweep], records.size()) << sweep;
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
  const Case cases[] = {
      {"losses: 16, none",
       [](auto& record) { record.time.total_seconds = 2.0 / 0.97; },
       {"cuda.losses.16.none_keeps_the_throughput"}},
      {"plain, window",
       [](auto& record) { record.time.total_seconds = 2.0 / 0.98; },
       {"cuda.plain.window_keeps_the_throughput"}},
      {"allocator: native, none",
       [](auto& record) { record.loss.last = 0.26; },
       {"cuda.allocator.native.losses_are_equal"}},
      {"staging: pageable, every_batch",
       [](auto& record) { record.time.t1_seconds = 0.007; },
       {"cuda.staging.pageable.batches_queue"}},
      {"outputs: kept, none",
       [](auto& record) { record.time.issue_seconds = 0.05; },
       {"cuda.outputs.kept.batches_queue"}},
      {"outputs: kept, none",
       set("active_peak_bytes", kDeviceBytes),
       {"cuda.outputs.kept.predictions_stay"}},
      {"plain, adaptive",
       set("reserved_peak_bytes", kDeviceBytes / 100 * 103),
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
       set("active_peak_bytes", kDeviceBytes),
       {"cuda.copies.side_record_stream.window_bounds_deferred_frees"}},
      {"copies: side_reuse, none",
       [](auto& record) { record.backlog.batches_peak = 2; },
       {"cuda.copies.side_reuse.memory_is_constant"}},
      {"expandable_segments: true, none",
       set("active_peak_bytes", kDeviceBytes),
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

TEST_F(CudaClaims, HoldOfWhatAnH100Measured) {
  // The tests that need a GPU were not a part of it.
  EXPECT_THAT(failing_in(RUNAHEAD_H100_FOLDER), ElementsAre("cuda.tests.pass"));
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
  write("transfer.json", "{}");
  records_.at("copies").front().environment.git = "another";
  EXPECT_THAT(failing(), UnorderedElementsAre("cuda.versions.are_one"));
}

}  // namespace
}  // namespace runahead::reproduce
