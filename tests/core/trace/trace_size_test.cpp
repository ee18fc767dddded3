#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/scratch_folder.h"
#include "core/memory/samples_csv.h"
#include "core/trace/trace_json.h"
#include "core/trace/trace_recorder.h"

namespace runahead::trace {
namespace {

constexpr double kHourMostBytes = 200e6;  ///< Of a trace and its samples together.

// As the monitor keeps them, of as many columns as there may be.
constexpr std::size_t kSampleRows = 100'000;
constexpr std::size_t kSampleColumns = memory::SampleSeries::kMaxColumns;
constexpr TimePoint kHourBegin{};
constexpr std::uint64_t kGigabytes = 10'000'000'000;

// Late in the hour: times are as long as they come.
TimePoint at(std::uint64_t step) {
  return kHourBegin + std::chrono::minutes(50) + std::chrono::nanoseconds(1'001 * step);
}

/// Describes itself at more length than is kept.
struct Talkative {
  void operator()() {}
  std::size_t describe(std::span<char> text) const noexcept {
    std::ranges::fill(text, 'x');
    return text.size();
  }
};

/// More of everything than is kept. Each operation of the longest name that training issues.
void record_much(TraceRecorder& recorder) {
  const TraceBounds bounds;
  const engine::OperationBody body = Talkative();
  recorder.start();
  std::uint64_t step = 0;
  for (std::uint64_t i = 1; i <= 3 * bounds.operations; ++i) {
    if (i % 10 == 1) {
      for (const Phase phase : {Phase::kWaitBefore, Phase::kData, Phase::kIssue}) {
        recorder.enter(phase, at(++step));
      }
      recorder.on_wait_begin({.cause = engine::WaitCause::kLimit, .time = at(++step)});
      recorder.on_wait_end({.cause = engine::WaitCause::kLimit, .time = at(++step)});
    }
    engine::OperationEvent event{.sequence = 10'000'000 + i,
                                 .name = "aten::_scaled_dot_product_flash_attention_backward",
                                 .cost_bytes = kGigabytes,
                                 .worker = 0,
                                 .body = &body,
                                 .time = at(++step)};
    recorder.on_push(event);
    event.time = at(++step);
    recorder.on_start(event);
    event.time = at(++step);
    recorder.on_finish(event);
    if (i % 10 == 0) {
      recorder.enter(Phase::kWaitAfter, at(++step));
      recorder.end_batch(at(++step));
    }
  }
}

/// Every value as long as it comes, and none the same as the one before.
memory::SampleSeries many_samples() {
  std::vector<std::string> columns{"rss_bytes", "live_bytes", "promised_bytes", "held_bytes",
                                   "batches_in_flight"};
  while (columns.size() < kSampleColumns) {
    columns.push_back("column_" + std::to_string(columns.size()) + "_bytes");
  }
  memory::SampleSeries samples(columns, kSampleRows);
  for (std::uint64_t i = 0; i < kSampleRows / 2 + 5'000; ++i) {
    samples.append(at(i), std::vector<memory::Reading>(kSampleColumns, kGigabytes + i));
  }
  return samples;
}

double bytes_of_trace(const Recording& recording, const memory::SampleSeries* samples) {
  return static_cast<double>(
      trace_json(recording, {.name = "train on acpu", .origin = kHourBegin, .samples = samples})
          .size());
}

// Once all it keeps is full a file grows no more, so an hour is what fills it. The rows of samples
// are counted up to their bound: it would take 30 hours to reach it.
TEST(TraceSize, StaysUnder200MbWithItsSamplesHoweverLongARunIs) {
  TraceRecorder recorder(1);
  record_much(recorder);
  const Recording& recording = recorder.close();
  const memory::SampleSeries samples = many_samples();
  const ScratchFolder folder;
  const std::filesystem::path csv = folder.path() / "samples.csv";
  write_samples_csv(csv, samples, kHourBegin);

  ASSERT_GT(recording.operations_left_out(), 0U);
  ASSERT_GT(recording.batches.left_out(), 0U);
  ASSERT_GT(recording.waits.left_out(), 0U);
  const double scale = static_cast<double>(kSampleRows) / static_cast<double>(samples.size());
  const double bytes_of_events = bytes_of_trace(recording, nullptr);
  const double bytes_of_counters = bytes_of_trace(recording, &samples) - bytes_of_events;
  const double bytes_of_csv = static_cast<double>(std::filesystem::file_size(csv));
  RecordProperty("trace_bytes", std::to_string(bytes_of_events + scale * bytes_of_counters));
  RecordProperty("samples_bytes", std::to_string(scale * bytes_of_csv));

  EXPECT_LT(bytes_of_events + scale * (bytes_of_counters + bytes_of_csv), kHourMostBytes);
}

}  // namespace
}  // namespace runahead::trace
