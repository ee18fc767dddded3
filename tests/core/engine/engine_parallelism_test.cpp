#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "core/engine/engine_kinds.h"
#include "support/gate.h"

// No worker idles for good while an operation is ready, however the workers take turns otherwise.
namespace runahead::engine::test {
namespace {

using runahead::test::Gate;

class EngineParallelism : public ::testing::TestWithParam<EngineKind> {
 protected:
  /// Pushes as many bodies as there are workers; each ends only when all have begun.
  void push_meeting() {
    struct Meeting {
      std::atomic<int> present{0};
      Gate all_present;
    };
    const auto meeting = std::make_shared<Meeting>();
    const int workers = GetParam().workers;
    for (int i = 0; i < workers; ++i) {
      engine_->push({.name = "meet", .body = [meeting, workers] {
                       if (++meeting->present == workers) meeting->all_present.open();
                       meeting->all_present.pass();
                     }});
    }
  }
  void push_short_bodies(int count) {
    const VariablePtr x = make_variable();
    for (int i = 0; i < count; ++i) {
      engine_->push(
          {.name = "short", .body = [] {}, .accesses = {i % 2 == 0 ? writes(x) : reads(x)}});
    }
  }

  std::unique_ptr<Engine> engine_ = make_engine(GetParam().options());
};

TEST_P(EngineParallelism, EveryWorkerRunsABodyAtOnce) {
  push_meeting();

  EXPECT_NO_THROW(engine_->wait_all());
}

TEST_P(EngineParallelism, WorkersThatStoodBackFromShortBodiesComeBackForLongOnes) {
  push_short_bodies(20'000);
  push_meeting();
  push_short_bodies(20'000);

  EXPECT_NO_THROW(engine_->wait_all());
}

TEST_P(EngineParallelism, MeetingsFollowOnEachOther) {
  for (int round = 0; round < 50; ++round) {
    push_meeting();
    if (round % 2 == 0) {
      ASSERT_NO_THROW(engine_->wait_all());
    }
  }
  EXPECT_NO_THROW(engine_->wait_all());
}

INSTANTIATE_TEST_SUITE_P(Kinds, EngineParallelism,
                         ::testing::ValuesIn(kEngineKinds.begin() + 1, kEngineKinds.end()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace runahead::engine::test
