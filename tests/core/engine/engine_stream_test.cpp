#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "core/engine/engine_kinds.h"
#include "support/gate.h"

namespace runahead::engine::test {
namespace {

using runahead::test::Gate;

class EngineStream : public EachEngine {
 protected:
  /// Pushes an operation that counts as run in `ran_`.
  void push_counted(Stream* stream, AccessList accesses = {}) {
    engine_->push({.name = "counted",
                   .body = [this] { ++ran_; },
                   .accesses = std::move(accesses),
                   .stream = stream});
  }
  void wait(const Event& event) { engine_->wait_for(event.variable()); }

  Stream default_{};
  Stream side_{};
  Stream other_{};
  std::atomic<int> ran_{0};
};

TEST_P(EngineStream, AnEventCoversWhatItsStreamWasGivenBefore) {
  EXPECT_TRUE(Event().is_finished());
  EXPECT_FALSE(Event().finished_at().has_value());
  engine_->set_default_stream(default_);
  const VariablePtr x = make_variable();
  for (Stream* const stream : {&side_, static_cast<Stream*>(nullptr)}) {
    ran_ = 0;
    for (int i = 0; i < 100; ++i) push_counted(stream, {i % 3 == 0 ? writes(x) : reads(x)});
    const Event event = record_event(*engine_, stream);
    wait(event);

    EXPECT_EQ(ran_, 100);
    EXPECT_TRUE(event.is_finished());
    EXPECT_TRUE(event.finished_at().has_value());
    EXPECT_TRUE((stream == nullptr ? default_ : side_).is_idle());
  }
}

TEST_P(EngineStream, AnEventCoversWhatNamedNoStreamBeforeThereWasADefaultOne) {
  for (int i = 0; i < 100; ++i) push_counted(nullptr);
  const Event before = record_event(*engine_, nullptr);
  for (int i = 0; i < 100; ++i) push_counted(nullptr);
  engine_->set_default_stream(default_);
  for (int i = 0; i < 100; ++i) push_counted(nullptr);
  const Event after = record_event(*engine_, nullptr);

  wait(before);
  EXPECT_GE(ran_, 100);
  wait(after);
  EXPECT_EQ(ran_, 300);
}

TEST_P(EngineStream, AnEventImpliesThoseRecordedAndAwaitedBeforeIt) {
  engine_->set_default_stream(default_);
  for (int i = 0; i < 50; ++i) push_counted(&other_);
  const Event awaited = record_event(*engine_, &other_);
  side_.wait_for(awaited);
  const Event first = record_event(*engine_, &side_);
  const Event second = record_event(*engine_, &side_);
  wait(second);

  EXPECT_TRUE(awaited.is_finished());
  EXPECT_TRUE(first.is_finished());
  EXPECT_EQ(ran_, 50);
  EXPECT_LE(*awaited.finished_at(), *first.finished_at());
  EXPECT_LE(*first.finished_at(), *second.finished_at());
}

TEST_P(EngineStream, OperationsStartAfterTheEventsThatTheirStreamWaitsFor) {
  engine_->set_default_stream(default_);
  for (int round = 0; round < 50; ++round) {
    ran_ = 0;
    for (int i = 0; i < 10; ++i) {
      push_counted(&side_);
      push_counted(nullptr);
    }
    other_.wait_for(record_event(*engine_, &side_));
    other_.wait_for(record_event(*engine_, nullptr));
    std::atomic<int> ran_before{0};
    for (int i = 0; i < 3; ++i) {
      engine_->push({.name = "after",
                     .body = [&] { ran_before += ran_; },
                     .accesses = {},
                     .stream = &other_});
    }
    engine_->wait_all();

    ASSERT_EQ(ran_before, 3 * 20);
  }
}

// Whatever the other threads do, a thread's operations are covered by its next event.
TEST_P(EngineStream, ThreadsMayShareStreams) {
  constexpr int kThreads = 4;
  engine_->set_default_stream(default_);
  std::atomic<int> missing{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      const std::array<Stream*, 3> streams{&side_, &other_, nullptr};
      for (int round = 0; round < 100; ++round) {
        Stream* const stream = streams[static_cast<std::size_t>((thread + round) % 3)];
        std::atomic<int> ran{0};
        const int count = round % 4;
        for (int i = 0; i < count; ++i) {
          engine_->push({.name = "own", .body = [&ran] { ++ran; }, .stream = stream});
        }
        const Event event = record_event(*engine_, stream);
        if (round % 5 == 0) side_.wait_for(event);
        wait(event);
        missing += count - ran;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(missing, 0);
}

RUNAHEAD_RUN_ON_EACH_ENGINE(EngineStream);

/// An operation of one stream held at a gate, by engines that have a worker left for the others.
class EngineStreamHeld : public EngineStream {
 protected:
  void SetUp() override { engine_->set_default_stream(default_); }
  void TearDown() override {
    gate_.open();
    engine_->wait_all();
  }
  void hold(Stream* stream) { hold(stream, gate_); }
  void hold(Stream* stream, Gate& gate) {
    engine_->push({.name = "held",
                   .body =
                       [this, &gate] {
                         gate.pass();
                         ++ran_;
                       },
                   .stream = stream});
  }

  Gate gate_;
};

TEST_P(EngineStreamHeld, AStreamsEventDoesNotWaitForOtherStreams) {
  Gate side_gate;
  hold(&side_, side_gate);
  push_counted(nullptr);
  wait(record_event(*engine_, nullptr));
  EXPECT_EQ(ran_, 1);
  EXPECT_TRUE(default_.is_idle());
  EXPECT_FALSE(side_.is_idle());

  side_gate.open();
  wait(record_event(*engine_, &side_));
  hold(nullptr);
  push_counted(&side_);
  wait(record_event(*engine_, &side_));
  EXPECT_EQ(ran_, 3);
  EXPECT_TRUE(side_.is_idle());
  EXPECT_FALSE(default_.is_idle());
}

TEST_P(EngineStreamHeld, IndependentOperationsOfAStreamOvertake) {
  const VariablePtr later = make_variable();
  hold(&side_);
  const Event event = record_event(*engine_, &side_);
  push_counted(&side_, {overwrites(later)});
  engine_->wait_for(later);

  EXPECT_EQ(ran_, 1);
  EXPECT_FALSE(event.is_finished());
  EXPECT_FALSE(event.finished_at().has_value());
  EXPECT_FALSE(side_.is_idle());
}

TEST_P(EngineStreamHeld, AStreamThatOnlyWaitsIsNotIdleAndItsEventCoversWhatItWaitsFor) {
  hold(&side_);
  other_.wait_for(record_event(*engine_, &side_));
  EXPECT_FALSE(other_.is_idle());
  const Event event = record_event(*engine_, &other_);
  EXPECT_FALSE(event.is_finished());

  gate_.open();
  wait(event);
  EXPECT_EQ(ran_, 1);
  EXPECT_TRUE(other_.is_idle());
}

TEST_P(EngineStreamHeld, TheDefaultStreamWaitsForAnEventToo) {
  const VariablePtr x = make_variable();
  hold(&side_);
  default_.wait_for(record_event(*engine_, &side_));
  push_counted(nullptr, {overwrites(x)});
  push_counted(&other_);
  wait(record_event(*engine_, &other_));
  EXPECT_EQ(ran_, 1);

  gate_.open();
  engine_->wait_for(x);
  EXPECT_EQ(ran_, 3);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EngineStreamHeld,
                         ::testing::Values(kEngineKinds[3], kEngineKinds[4], kEngineKinds[5],
                                           kEngineKinds[6]),
                         [](const auto& kind) { return kind.param.name; });

TEST(EngineStreams, EventsFromBeforeTheDefaultStreamAreWaitedForToo) {
  Gate gate;
  Stream default_stream;
  Stream side;
  const auto engine = make_engine({.workers = 2});
  std::atomic<bool> has_run{false};
  engine->push({.name = "held", .body = [&] {
                  gate.pass();
                  has_run = true;
                }});
  const Event event = record_event(*engine, nullptr);
  engine->set_default_stream(default_stream);
  side.wait_for(event);
  std::atomic<bool> had_run{false};
  engine->push({.name = "after", .body = [&] { had_run = has_run.load(); }, .stream = &side});
  EXPECT_FALSE(event.is_finished());

  gate.open();
  engine->wait_all();
  EXPECT_TRUE(had_run);
}

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
