#include "core/trace/trace_json.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/file.h"
#include "core/memory/probe.h"
#include "core/trace/trace_text.h"

namespace runahead::trace {
namespace {

constexpr Track kFrontEnd{1};
constexpr int kFirstWorker = 2;

/// The timeline labels a counter's row "name key".
struct Counter {
  std::string_view column;  ///< Column of the samples.
  std::string_view name;
  std::string_view key;
};
constexpr std::array<Counter, 5> kCounters{{{"rss_bytes", "RSS", "bytes"},
                                            {"live_bytes", "live", "bytes"},
                                            {"promised_bytes", "promised", "bytes"},
                                            {"held_bytes", "held", "bytes"},
                                            {"batches_in_flight", "batches", "in flight"}}};

// Expected text sizes, to allocate only once.
constexpr std::size_t kOperationBytes = 450;
constexpr std::size_t kBatchBytes = 500;
constexpr std::size_t kSampleBytes = 150;

std::string_view name_of(Phase phase) {
  // In the order of the enum.
  constexpr std::array<std::string_view, kPhases> kNames{"wait", "data", "issue", "wait"};
  return name_at(kNames, phase);
}

std::string_view name_of(engine::WaitCause cause) {
  // In the order of the enum.
  constexpr std::array<std::string_view, 5> kNames{"held at the run-ahead limit",
                                                   "wait for a tensor", "wait for all",
                                                   "wait for a batch", "wait for another thread"};
  return name_at(kNames, cause);
}

/// Writes one trace.
class TraceWriter {
 public:
  TraceWriter(const Recording& recording, const TraceSubject& subject)
      : recording_(recording), subject_(subject), text_(subject.origin, expected_bytes()) {}

  std::string write() {
    write_names();
    write_front_end();
    collect_issues();
    for (std::size_t i = 0; i < recording_.executions.size(); ++i) write_worker(i);
    if (subject_.samples != nullptr) write_counters(*subject_.samples);
    return document();
  }

 private:
  [[nodiscard]] std::size_t expected_bytes() const {
    return static_cast<std::size_t>(recording_.operations_recorded()) * kOperationBytes +
           static_cast<std::size_t>(recording_.batches.kept()) * kBatchBytes +
           (subject_.samples == nullptr ? 0 : subject_.samples->size() * kSampleBytes);
  }

  [[nodiscard]] Span span_of(TimePoint begun, TimePoint ended) const {
    const std::int64_t begin = text_.nanoseconds_of(begun);
    return {begin, std::max(begin, text_.nanoseconds_of(ended))};
  }

  void write_names() {
    text_.name_process("runahead: " + subject_.name);
    text_.name_track(kFrontEnd, "front end");
    for (std::size_t i = 0; i < recording_.executions.size(); ++i) {
      text_.name_track(track_of(i),
                       subject_.runs_inside_push ? "inside push" : "worker " + std::to_string(i));
    }
  }

  void write_front_end() {
    recording_.batches.for_each([this](const BatchTimes& batch) { write_batch(batch); });
    if (recording_.drain) {
      const Span span = span_of(recording_.drain->begun, recording_.drain->ended);
      text_.slice(kFrontEnd, span, "drain", "drain");
      outermost_.push_back(span);
    }
    recording_.waits.for_each([this](const Wait& wait) {
      text_.slice(kFrontEnd, span_of(wait.begun, wait.ended), name_of(wait.cause), "blocked");
    });
  }

  void write_batch(const BatchTimes& batch) {
    const Span whole = span_of(batch.begun.front(), batch.ended);
    text_.slice(kFrontEnd, whole, "batch " + std::to_string(batch.number), "batch",
                Arguments().add("batch", batch.number));
    outermost_.push_back(whole);
    for (std::size_t i = 0; i < batch.phases_begun; ++i) {
      const bool is_last = i + 1 == batch.phases_begun;
      const TimePoint ended = is_last ? batch.ended : batch.begun[i + 1];
      if (ended == batch.begun[i]) continue;  // Not distinguished from the next phase.
      text_.slice(kFrontEnd, span_of(batch.begun[i], ended), name_of(static_cast<Phase>(i)),
                  "phase");
    }
  }

  void collect_issues() {
    issues_.reserve(static_cast<std::size_t>(recording_.issues.kept()));
    recording_.issues.for_each([this](const Issue& issue) { issues_.push_back(issue); });
  }

  void write_worker(std::size_t index) {
    const Track track = track_of(index);
    std::int64_t free_from = 0;
    recording_.executions[index].for_each([&](const Execution& execution) {
      // An arrow needs a slice of nonzero length, and the slices of a track must not overlap.
      Span span = span_of(execution.begun, execution.ended);
      span.begun = std::max(span.begun, free_from);
      span.ended = free_from = std::max(span.ended, span.begun + 1);
      write_execution(track, span, execution);
    });
  }

  void write_execution(Track track, Span span, const Execution& execution) {
    const Issue* const issue = issue_of(execution.sequence);
    Arguments arguments;
    arguments.add("sequence", execution.sequence);
    if (issue != nullptr && issue->batch > 0) arguments.add("batch", issue->batch);
    arguments.add("cost_bytes", execution.cost_bytes);
    if (execution.description_length > 0) {
      arguments.add("on", {execution.description.data(), execution.description_length});
    }
    if (execution.outcome == Outcome::kFailed) arguments.add_flag("failed");
    if (execution.outcome == Outcome::kSkipped) arguments.add_flag("skipped");
    if (execution.outcome == Outcome::kUnfinished) arguments.add_flag("unfinished");
    text_.slice(track, span, execution.name, "operation", arguments);
    if (issue != nullptr) write_arrow(*issue, track, span.begun);
  }

  void write_arrow(const Issue& issue, Track track, std::int64_t begun) {
    const std::int64_t issued = text_.nanoseconds_of(issue.time);
    if (!is_within_a_slice(issued)) return;
    text_.begin_flow(kFrontEnd, issued, issue.sequence);
    text_.end_flow(track, begun, issue.sequence);
    ++arrows_;
  }

  [[nodiscard]] const Issue* issue_of(std::uint64_t sequence) const {
    const auto found = std::ranges::lower_bound(issues_, sequence, {}, &Issue::sequence);
    return found != issues_.end() && found->sequence == sequence ? &*found : nullptr;
  }

  [[nodiscard]] bool is_within_a_slice(std::int64_t time) const {
    const auto after = std::ranges::upper_bound(outermost_, time, {}, &Span::begun);
    return after != outermost_.begin() && time < std::prev(after)->ended;
  }

  void write_counters(const memory::SampleSeries& samples) {
    std::array<std::optional<std::size_t>, kCounters.size()> columns{};
    for (std::size_t i = 0; i < kCounters.size(); ++i) {
      columns[i] = memory::find_column(samples.columns(), kCounters[i].column);
    }
    std::array<memory::Reading, kCounters.size()> shown{};
    samples.for_each([&](TimePoint time, std::span<const memory::Reading> readings) {
      for (std::size_t i = 0; i < kCounters.size(); ++i) {
        if (!columns[i] || !readings[*columns[i]] || readings[*columns[i]] == shown[i]) continue;
        shown[i] = readings[*columns[i]];
        text_.counter(text_.nanoseconds_of(time), kCounters[i].name, kCounters[i].key, *shown[i]);
        ++counter_events_;
      }
    });
  }

  [[nodiscard]] std::string document() {
    Json other = summary_of(recording_);
    other["time_zero"] = subject_.origin_is;
    other["arrows"] = arrows_;
    other["counter_events"] = counter_events_;
    std::string text = text_.take();
    text.insert(0, "{\"displayTimeUnit\":\"ms\",\"otherData\":" + dump_json(other) +
                       ",\n\"traceEvents\":[\n");
    return text.append("\n]}\n");
  }

  static Track track_of(std::size_t worker) { return {kFirstWorker + static_cast<int>(worker)}; }

  const Recording& recording_;
  const TraceSubject& subject_;
  TraceText text_;
  std::vector<Issue> issues_{};    ///< Ordered by sequence number.
  std::vector<Span> outermost_{};  ///< Outermost slices of the front end, in chronological order.
  std::uint64_t arrows_ = 0;
  std::uint64_t counter_events_ = 0;
};

}  // namespace

std::string trace_json(const Recording& recording, const TraceSubject& subject) {
  return TraceWriter(recording, subject).write();
}

void write_trace(const std::filesystem::path& path, const Recording& recording,
                 const TraceSubject& subject) {
  write_new_file(path, trace_json(recording, subject));
}

}  // namespace runahead::trace
