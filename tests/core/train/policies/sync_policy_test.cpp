// Every sync policy, through one suite and against one table of what each waits for. A new policy
// is in the suite by being in the list; the table gets its rows.
#include "core/train/policies/sync_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/config/field_writer.h"
#include "core/config/sync_config.h"
#include "core/train/policies/adaptive_depth.h"
#include "core/train/policies/adaptive_window.h"
#include "support/fake_marks.h"

namespace runahead::train {
namespace {

using config::SyncConfig;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Marks = std::vector<std::size_t>;

/// A loop whose back end finishes a batch when something waits for it.
class FakeLoop {
 public:
  PolicyContext context() {
    return {.back_end = back_end,
            .make_wait =
                [this](WaitKind kind) {
                  return [this, kind](const IssuedBatch&) {
                    waits.push_back(kind);
                    back_end.finish_until(back_end.marks());
                  };
                },
            .on_notice = [this](const std::string& text) { notices.push_back(text); }};
  }

  /// Runs a batch for each of `kept_bytes`.
  void run(Waiter& waiter, const std::vector<std::uint64_t>& kept_bytes) {
    for (const std::uint64_t bytes : kept_bytes) {
      waiter.before_batch();
      waiter.after_batch({.bytes = 1'000'000'000, .kept_bytes = bytes});
    }
  }

  test::FakeMarks<MarkSource> back_end{};
  std::vector<WaitKind> waits{};
  std::vector<std::string> notices{};
};

std::vector<std::uint64_t> batches(std::size_t count, std::uint64_t kept_bytes = 100) {
  return std::vector<std::uint64_t>(count, kept_bytes);
}

Json keys_of(const SyncPolicy& policy) {
  config::FieldWriter writer;
  policy.clone()->describe(writer);
  return writer.take();
}

class EverySyncPolicy : public ::testing::TestWithParam<std::string> {
 protected:
  SyncConfig policy_{GetParam()};
  FakeLoop loop_{};
};

TEST_P(EverySyncPolicy, NamesItselfAndReadsBackTheKeysThatItWrites) {
  EXPECT_EQ(policy_->name(), GetParam());
  EXPECT_EQ(policy_->clone()->name(), GetParam());
  const Json keys = keys_of(*policy_->clone());
  EXPECT_EQ(keys_of(*SyncConfig(GetParam(), keys)->clone()), keys);
  EXPECT_FALSE(policy_->label().empty());
  EXPECT_TRUE(policy_->phrase().starts_with("With")) << policy_->phrase();
}

TEST_P(EverySyncPolicy, RefusesAKeyThatItLacksAndValuesOutOfRange) {
  EXPECT_THROW(SyncConfig(GetParam(), {{"no_such_key", 1}}), ConfigError);
  const Json keys = keys_of(*policy_->clone());
  for (const auto& [key, value] : keys.items()) {
    EXPECT_THROW(SyncConfig(GetParam(), {{key, value.is_string() ? Json("never") : Json(0)}}),
                 ConfigError)
        << key;
  }
}

TEST_P(EverySyncPolicy, WaitsForTheOldestFirstAndWarnsOnlyWithAReason) {
  const auto waiter = policy_->start(loop_.context());

  loop_.run(*waiter, batches(50));

  EXPECT_TRUE(std::ranges::is_sorted(loop_.back_end.waited_marks));
  EXPECT_THAT(loop_.notices, IsEmpty());
}

TEST_P(EverySyncPolicy, DoesWhatItsCostShapeSays) {
  constexpr std::int64_t kBatches = 40;
  const CostShape shape = policy_->cost_shape(
      {.batches = kBatches, .batch_kept_bytes = 100, .loop_keeps_budget = true});
  const auto waiter = policy_->start(loop_.context());

  loop_.run(*waiter, batches(kBatches));

  EXPECT_EQ(std::ssize(loop_.waits),
            shape.batches_per_wait ? kBatches / *shape.batches_per_wait : 0);
  if (shape.batches_in_flight) {
    EXPECT_LE(std::ssize(loop_.back_end.waited_marks), kBatches);
    EXPECT_LE(static_cast<std::int64_t>(loop_.back_end.most_in_flight), *shape.batches_in_flight);
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, EverySyncPolicy, ::testing::ValuesIn(policy_names()),
                         [](const auto& tested) { return tested.param; });

/// What a policy waits for in batches that keep so many bytes each.
struct WaitCase {
  std::string name{};
  std::string policy{};
  Json keys = Json::object();
  std::vector<std::uint64_t> kept_bytes{};
  Marks waited_marks{};
  std::size_t waits = 0;
  std::size_t notices = 0;
  bool holds_at_admission = false;
};

std::vector<WaitCase> wait_cases() {
  return {{.name = "none", .policy = "none", .kept_bytes = batches(10)},
          {.name = "every_batch", .policy = "every_batch", .kept_bytes = batches(7), .waits = 7},
          {"every_third", "every_n", {{"n", 3}}, batches(7), {}, 2},
          {"window_of_three", "window", {{"batches", 3}}, batches(6), {0, 1, 2}},
          {"window_of_one", "window", {{"batches", 1}}, batches(4), {0, 1, 2}},
          {"budget_holds_them_all", "budget", {{"bytes", 300}}, batches(3)},
          {"budget_short_by_a_byte", "budget", {{"bytes", 399}}, batches(5), {0, 1}},
          {"budget_of_large_batches",
           "budget",
           {{"bytes", 500}},
           {100, 100, 100, 200, 200, 100},
           {0, 1, 2, 3}},
          {"budget_of_smaller_batches", "budget", {{"bytes", 105}}, {50, 10, 10}},
          {"budget_of_nothing_kept", "budget", {{"bytes", 1}}, batches(100, 0)},
          {"budget_of_some_kept", "budget", {{"bytes", 100}}, {50, 0, 0, 50, 50}, {0}},
          {"budget_that_is_too_small", "budget", {{"bytes", 50}}, batches(4), {0, 1, 2}, 0, 1},
          {"budget_of_one_batch", "budget", {{"bytes", 100}}, batches(3), {0, 1}},
          {"budget_of_the_device", "budget", {{"bytes", 1}}, batches(10), {}, 0, 0, true},
          {"adaptive_without_a_queue", "adaptive", Json::object(), batches(10)}};
}

class SyncPolicyWaits : public ::testing::TestWithParam<WaitCase> {};

TEST_P(SyncPolicyWaits, AsTheTableSays) {
  FakeLoop loop;
  loop.back_end.holds = GetParam().holds_at_admission;
  const SyncConfig policy(GetParam().policy, GetParam().keys);

  loop.run(*policy->start(loop.context()), GetParam().kept_bytes);

  EXPECT_EQ(loop.back_end.waited_marks, GetParam().waited_marks);
  EXPECT_THAT(loop.waits, SizeIs(GetParam().waits));
  EXPECT_THAT(loop.notices, SizeIs(GetParam().notices));
}

INSTANTIATE_TEST_SUITE_P(Cases, SyncPolicyWaits, ::testing::ValuesIn(wait_cases()),
                         [](const auto& tested) { return tested.param.name; });

TEST(BudgetPolicy, ReleasesWhatHasFinishedWithoutAWait) {
  FakeLoop loop;
  const auto waiter = SyncConfig("budget", {{"bytes", 300}})->start(loop.context());
  loop.run(*waiter, batches(3));

  loop.back_end.finish_until(2);
  loop.run(*waiter, batches(2));
  EXPECT_THAT(loop.back_end.waited_marks, IsEmpty());

  loop.run(*waiter, batches(1));
  EXPECT_THAT(loop.back_end.waited_marks, ElementsAre(2));
}

TEST(BudgetPolicy, NamesTheKeyAndABudgetForTwoBatches) {
  const std::map<std::string, std::string> keys{{"budget", "bytes"}, {"adaptive", "ceiling"}};
  for (const auto& [policy, key] : keys) {
    FakeLoop loop;
    AdaptiveWindow window;
    PolicyContext context = loop.context();
    context.window = &window;
    loop.run(*SyncConfig(policy, {{key, 50}})->start(context), batches(3));

    ASSERT_THAT(loop.notices, SizeIs(1));
    EXPECT_THAT(loop.notices.front(),
                HasSubstr("/sync/" + key + ": found batches that keep 100 B"));
    EXPECT_THAT(loop.notices.front(), HasSubstr("a budget of 50 B"));
    EXPECT_THAT(loop.notices.front(), HasSubstr("set 200 or more"));
  }
}

TEST(SyncPolicy, WaitsAsTheConfigSays) {
  for (std::size_t kind = 0; kind < wait_names().size(); ++kind) {
    FakeLoop loop;
    const SyncConfig policy("every_batch", {{"wait", wait_names()[kind]}});

    loop.run(*policy->start(loop.context()), batches(1));

    EXPECT_THAT(loop.waits, ElementsAre(static_cast<WaitKind>(kind)));
    EXPECT_EQ(policy->wait(), static_cast<WaitKind>(kind));
  }
}

class AdaptivePolicyByBatches : public ::testing::Test {
 protected:
  std::unique_ptr<Waiter> start(std::uint64_t ceiling_bytes = 1'000'000) {
    PolicyContext context = loop_.context();
    context.window = &window_;
    return SyncConfig("adaptive", {{"ceiling", ceiling_bytes}})->start(context);
  }

  FakeLoop loop_{};
  AdaptiveWindow window_{};
};

TEST_F(AdaptivePolicyByBatches, WaitsForTheOldestAlone) {
  loop_.run(*start(), batches(4));

  // A batch that keeps bytes has two marks: the ceiling's, then the window's.
  EXPECT_THAT(loop_.back_end.waited_marks, ElementsAre(1, 3));
  EXPECT_EQ(window_.batches(), 2U) << "one was in reserve each time";
}

TEST_F(AdaptivePolicyByBatches, OnlyAHeldBatchWithNothingInReserveRaisesTheWindow) {
  const auto waiter = start();
  for (std::size_t i = 1; i <= 10; ++i) {
    loop_.run(*waiter, batches(1));
    loop_.back_end.finish_until(2 * i);
  }
  EXPECT_EQ(window_.batches(), 2U);

  loop_.run(*waiter, batches(2));
  waiter->before_batch();
  loop_.back_end.finish_until(loop_.back_end.marks());
  waiter->after_batch({.kept_bytes = 100});
  EXPECT_EQ(window_.batches(), 3U);
}

TEST_F(AdaptivePolicyByBatches, TheCeilingHoldsWhateverTheWindow) {
  for (int i = 0; i < 6; ++i) window_.note_batch({.was_held = true, .in_reserve = 0});
  ASSERT_EQ(window_.batches(), 8U);

  loop_.run(*start(250), batches(4));

  EXPECT_THAT(loop_.back_end.waited_marks, ElementsAre(0, 2)) << "the ceiling's marks";
  EXPECT_EQ(window_.batches(), 8U);
}

TEST(AdaptivePolicy, ReportsEachBatchToTheDepthAndNeverWaits) {
  FakeLoop loop;
  AdaptiveDepth depth(1, [](std::uint64_t) {});
  PolicyContext context = loop.context();
  context.depth = &depth;
  const auto waiter = SyncConfig("adaptive")->start(context);

  loop.run(*waiter, batches(1));
  EXPECT_TRUE(depth.choices().empty());
  depth.observer().on_push({.time = Clock::now()});
  loop.run(*waiter, batches(1));

  EXPECT_THAT(depth.choices(), SizeIs(1));
  EXPECT_THAT(loop.back_end.waited_marks, IsEmpty());
  EXPECT_THAT(loop.waits, IsEmpty());
}

}  // namespace
}  // namespace runahead::train
