#include "core/record/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "support/error_message.h"

namespace runahead::record {
namespace {

using ::testing::HasSubstr;

// A record as readers of the format expect it, literally.
constexpr const char* kContractExample = R"({
  "schema_version": 1, "id": "sha256 of the resolved config", "repeat": 0, "status": "ok", "error": null,
  "experiment": "train", "device": "acpu", "config": {}, "axes": {},
  "environment": {"runahead": "", "git": "", "torch": "", "cuda": null, "compiler": "", "cpu": "", "cores": 2, "memory_bytes": 0, "gpu": null, "malloc": "", "cpus_shared": null},
  "time": {"issue_seconds": 0.26, "total_seconds": 12.2, "examples_per_second": 8400.0, "cpu_seconds": 12.4, "t1_seconds": 0.0026, "t2_seconds": 0.12, "t3_seconds": 0.00001, "predicted_total_seconds": 12.1, "batch_finished_seconds": []},
  "memory": {"rss_baseline_bytes": 0, "rss_peak_bytes": 0, "rss_growth_bytes": 0, "live_peak_bytes": 0, "reserved_peak_bytes": 0, "promised_peak_bytes": 0, "held_peak_bytes": 0, "committed_peak_bytes": 0, "cuda": null},
  "backlog": {"operations_peak": 0, "batches_peak": 0, "bytes_peak": 0, "predicted_bytes_peak": 0, "blocking_operators": {}},
  "loss": {"first": 0.5, "last": 0.004},
  "monitor": {"samples": 0, "missed": 0, "jitter_p99_seconds": 0.0, "cpu_seconds": 0.0},
  "results": {}
})";

config::ExperimentConfig default_config() {
  return config::read_experiment({{"experiment", "train"}}, "default");
}

TEST(Record, ReadsAndWritesTheContractsExampleLiterally) {
  const Json example = parse_json(kContractExample, "contract");

  Json written = to_json(from_json(example, "contract"));
  // Keys that were added since.
  EXPECT_EQ(written["memory"].erase("attribution"), 1U);
  EXPECT_EQ(written["memory"].erase("rss_end_bytes"), 1U);
  EXPECT_EQ(written["loss"].erase("finite"), 1U);
  EXPECT_EQ(written["monitor"].erase("slow_lane_cpu_seconds"), 1U);
  EXPECT_EQ(written.erase("cell"), 1U);
  EXPECT_EQ(written.erase("ended_at"), 1U);
  EXPECT_EQ(written.erase("command"), 1U);
  EXPECT_EQ(written["environment"].erase("host"), 1U);

  EXPECT_EQ(written.dump(2), example.dump(2));
}

TEST(Record, EveryFieldSurvivesARoundTrip) {
  Record record = make_record(default_config(), 2, {{"/seed", 5}});
  record.status = Status::kOutOfMemory;
  record.error = "aten::mm: 12 GB";
  record.environment.torch = "2.11.0";
  record.time.batch_finished_seconds = {{0.5, 1.25}};
  record.memory.rss_peak_bytes = std::uint64_t{1} << 62;
  record.memory.cuda = {{"reserved_peak_bytes", 4}};
  record.backlog.blocking_operators = {{{"aten::nonzero", 3}}};
  record.loss.first = 0.1;
  record.monitor.jitter_p99_seconds = 1e-5;
  record.cell.attempts = 2;
  record.cell.cpus = {{0, 4}};
  record.results = {{"claims", {1, 2}}};

  const Json written = to_json(record);

  EXPECT_EQ(to_json(from_json(written, "test")).dump(), written.dump());
  EXPECT_EQ(written["axes"]["/seed"], 5);
  EXPECT_EQ(written["time"]["batch_finished_seconds"], Json::parse("[0.5,1.25]"));
}

TEST(Record, FiguresThatAreNotFiniteAreWrittenAsNull) {
  Record record;
  record.loss.last = std::nan("");

  EXPECT_THAT(dump_json(to_json(record)), HasSubstr(R"("loss":{"first":null,"last":null)"));
}

TEST(Record, WhatIsNoRecordIsRefused) {
  const auto error_of = [](const Json& document) {
    return test::error_message<Error>([&] { static_cast<void>(from_json(document, "some.json")); });
  };

  EXPECT_THAT(error_of({{"a", 1}}), HasSubstr("some.json: not a record"));
  EXPECT_THAT(error_of(3), HasSubstr("some.json: not a record"));
  EXPECT_THAT(error_of({{"schema_version", 2}, {"status", "ok"}}),
              HasSubstr("some.json: /schema_version: found 2; allowed: 1"));
  EXPECT_THAT(error_of({{"schema_version", 1}, {"status", "fine"}}),
              HasSubstr("/status: found \"fine\""));
  EXPECT_THAT(error_of({{"schema_version", 1}, {"status", "ok"}, {"time", 3}}),
              HasSubstr("/time: found number; allowed: an object"));
  EXPECT_THAT(
      error_of({{"schema_version", 1}, {"status", "ok"}, {"time", {{"total_seconds", "x"}}}}),
      HasSubstr("/time/total_seconds: found a string; a record has a number here"));
}

TEST(Record, ANumberThatAFigureCannotHoldIsRefused) {
  const auto error_of = [](const char* key, const Json& value) {
    Json document = to_json(Record{});
    document[Json::json_pointer(key)] = value;
    return test::error_message<Error>([&] { static_cast<void>(from_json(document, "some.json")); });
  };

  EXPECT_THAT(error_of("/repeat", 1e300),
              HasSubstr("/repeat: found 1e+300; a record has a whole number that is not"));
  EXPECT_THAT(error_of("/repeat", 0.5), HasSubstr("/repeat: found 0.5"));
  EXPECT_THAT(error_of("/memory/rss_growth_bytes", -20), HasSubstr("found -20"));
  EXPECT_THAT(error_of("/cell/cpus", {0, std::int64_t{1} << 32}),
              HasSubstr("/cell/cpus: found an array"));
  EXPECT_THAT(error_of("/backlog/blocking_operators", {{"item", -1}}),
              HasSubstr("found an object"));
  EXPECT_THAT(error_of("/time/total_seconds", true), HasSubstr("found a boolean"));
}

}  // namespace
}  // namespace runahead::record
