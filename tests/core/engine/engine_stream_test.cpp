#include <array>
#include <atomic>
#include <bitset>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "core/engine/engine_kinds.h"
#include "support/gate.h"

namespace runahead::engine::test {
namespace {

using runahead::test::Gate;

/// A random program of operations and events on three streams, and the steps that each of its steps
/// comes after by the rules. One operation is held at a gate, if a worker is left for the others.
class StreamProgram {
 public:
  StreamProgram(const EngineKind& kind, std::uint64_t seed)
      : random_(seed),
        held_(kind.workers > 1 ? below(kSteps) : kSteps),
        engine_(make_engine(kind.options())) {
    const std::size_t default_from = below(2) * kSteps / 3;
    for (std::size_t number = 0; number < kSteps; ++number) {
      if (number == default_from) engine_->set_default_stream(streams_[0].stream);
      const std::size_t stream = number < default_from ? 0 : below(kStreams);
      if (number != held_ && below(4) == 0) {
        record(number, stream);
      } else {
        push(number, stream);
      }
      if (number >= default_from && below(3) == 0) {
        const std::size_t awaited = below(number + 1);
        if (steps_[awaited].is_event) await(streams_[below(kStreams)], awaited);
      }
    }
  }

  /// Waits for each step that may run while one is held.
  void expect_that_all_run_that_may() {
    for (std::size_t number = 0; number < kSteps; ++number) {
      const Step& step = steps_[number];
      if (number == held_ || is_held_back(step.before)) {
        EXPECT_FALSE(step.event.finished_at().has_value());
        EXPECT_FALSE(step.is_event && step.event.is_finished());
        continue;
      }
      engine_->wait_for(step.is_event ? step.event.variable() : step.done);
      EXPECT_TRUE(has_finished(step));
    }
    for (const OneStream& one : streams_) {
      EXPECT_EQ(one.stream.is_idle(), !is_held_back(one.before_event));
    }
  }

  void finish() {
    gate_.open();
    engine_->wait_all();
    for (const Step& step : steps_) {
      EXPECT_TRUE(has_finished(step));
      for (std::size_t i = 0; step.is_event && i < kSteps; ++i) {
        if (!step.before[i] || !steps_[i].is_event) continue;
        EXPECT_LE(*steps_[i].event.finished_at(), *step.event.finished_at());
      }
    }
    for (const OneStream& one : streams_) EXPECT_TRUE(one.stream.is_idle());
    EXPECT_EQ(too_early_, 0);
  }

 private:
  static constexpr std::size_t kSteps = 90;
  static constexpr std::size_t kStreams = 3;  ///< The first is the default stream.
  using Steps = std::bitset<kSteps + 1>;

  struct Step {
    Steps before{};  ///< All that it comes after, directly or not.
    bool is_event = false;
    Event event{};  ///< If it is one.
    VariablePtr done = make_variable();
    std::atomic<bool> has_run = false;
  };
  struct OneStream {
    Stream stream{};
    Steps before_operation{};
    Steps before_event{};
  };
  struct Data {
    VariablePtr variable = make_variable();
    Steps writes{};
    Steps uses{};
  };

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  [[nodiscard]] bool is_held_back(const Steps& before) const { return before[held_]; }
  [[nodiscard]] Stream* named(std::size_t stream) {
    return stream == 0 ? nullptr : &streams_[stream].stream;
  }
  [[nodiscard]] static bool has_finished(const Step& step) {
    return step.is_event ? step.event.is_finished() : step.has_run.load();
  }
  static Steps with(Steps steps, std::size_t number) { return steps.set(number); }

  void push(std::size_t number, std::size_t stream) {
    Step& step = steps_[number];
    step.before = streams_[stream].before_operation;
    Operation operation{.name = "operation",
                        .body = [this, number] { run(number); },
                        .accesses = {overwrites(step.done)},
                        .stream = named(stream)};
    if (below(3) == 0) {
      Data& data = data_[below(data_.size())];
      const bool is_write = below(2) == 0;
      step.before |= is_write ? data.uses : data.writes;
      data.uses |= with(step.before, number);
      if (is_write) data.writes = data.uses;
      operation.accesses.push_back(is_write ? writes(data.variable) : reads(data.variable));
    }
    streams_[stream].before_event |= with(step.before, number);
    engine_->push(std::move(operation));
  }

  void run(std::size_t number) {
    if (number == held_) gate_.pass();
    for (std::size_t i = 0; i < number; ++i) {
      if (steps_[number].before[i] && !has_finished(steps_[i])) ++too_early_;
    }
    steps_[number].has_run = true;
  }

  void record(std::size_t number, std::size_t stream) {
    Step& step = steps_[number];
    step.is_event = true;
    step.before = streams_[stream].before_event;
    streams_[stream].before_event.set(number);
    step.event = record_event(*engine_, named(stream));
  }

  void await(OneStream& waiting, std::size_t event) {
    waiting.before_operation |= with(steps_[event].before, event);
    waiting.before_event |= waiting.before_operation;
    waiting.stream.wait_for(steps_[event].event);
  }

  std::mt19937_64 random_;
  const std::size_t held_;  ///< Beyond the last if none is.
  Gate gate_{};
  std::atomic<int> too_early_{0};
  std::array<Step, kSteps> steps_{};
  std::array<OneStream, kStreams> streams_{};
  std::array<Data, 3> data_{};
  std::unique_ptr<Engine> engine_;
};

class EngineStream : public EachEngine {};

TEST_P(EngineStream, OrdersWhatTheRulesOrderAndNothingElse) {
  EXPECT_TRUE(Event().is_finished());
  EXPECT_FALSE(Event().finished_at().has_value());
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed=" + std::to_string(seed));
    StreamProgram program(GetParam(), seed);
    program.expect_that_all_run_that_may();
    program.finish();
    if (HasFailure()) return;
  }
}

// Whatever the other threads do, a thread's operations are covered by its next event.
TEST_P(EngineStream, ThreadsMayShareStreams) {
  constexpr int kThreads = 4;
  Stream default_stream;
  Stream side;
  Stream other;
  engine_->set_default_stream(default_stream);
  std::atomic<int> missing{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      const std::array<Stream*, 3> streams{&side, &other, nullptr};
      for (int round = 0; round < 100; ++round) {
        Stream* const stream = streams[static_cast<std::size_t>((thread + round) % 3)];
        std::atomic<int> ran{0};
        const int count = round % 4;
        for (int i = 0; i < count; ++i) {
          engine_->push({.name = "own", .body = [&ran] { ++ran; }, .stream = stream});
        }
        const Event event = record_event(*engine_, stream);
        if (round % 5 == 0) side.wait_for(event);
        engine_->wait_for(event.variable());
        missing += count - ran;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(missing, 0);
}

RUNAHEAD_RUN_ON_EACH_ENGINE(EngineStream);

TEST(EngineStreams, AnOperationNamesAtMostOneEventAStream) {
  Gate gate;
  Stream default_stream;
  Stream side;
  Stream waiting;
  const auto engine = make_engine({.workers = 1});
  engine->push({.name = "held", .body = [&] { gate.pass(); }});
  engine->set_default_stream(default_stream);
  for (int i = 0; i < 100; ++i) {
    waiting.wait_for(record_event(*engine, &side));
    waiting.wait_for(record_event(*engine, nullptr));
  }
  Operation operation;
  waiting.order(operation);

  EXPECT_EQ(operation.accesses.size(), 3U);
  gate.open();
}

}  // namespace
}  // namespace runahead::engine::test
