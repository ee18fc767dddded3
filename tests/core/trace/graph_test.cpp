#include <gmock/gmock.h>

#include "core/engine/engine.h"
#include "core/trace/graph_recorder.h"
#include "core/trace/graph_text.h"
#include "support/gate.h"
#include "support/golden.h"

namespace runahead::trace {
namespace {

// Graphs of operations that an engine ran, by the names of what was pushed.

using engine::AccessMode;
using engine::make_variable;
using engine::VariablePtr;
using ::testing::IsEmpty;

class GraphRecorderTest : public ::testing::TestWithParam<int> {
 protected:
  GraphRecorderTest()
      : engine_(engine::make_engine({.workers = GetParam(), .observer = &recorder_})) {
    recorder_.start();
  }

  void push(std::string_view name, engine::AccessList accesses) {
    engine_->push({.name = name, .body = [] {}, .accesses = std::move(accesses)});
  }

  DependencyGraph graph() {
    engine_->wait_all();
    return recorder_.stop();
  }

  /// "before>after", followed by "!" if no value flows.
  static std::vector<std::string> pairs_of(const DependencyGraph& graph) {
    std::vector<std::string> pairs;
    for (const Dependency& dependency : graph.dependencies) {
      pairs.push_back(graph.operations[dependency.before].name + ">" +
                      graph.operations[dependency.after].name +
                      (dependency.hazard == Hazard::kReadAfterWrite ? "" : "!"));
    }
    return pairs;
  }

  GraphRecorder recorder_{};
  std::unique_ptr<engine::Engine> engine_;
  VariablePtr x_ = make_variable();
};

TEST_P(GraphRecorderTest, DependenciesAreThoseOfTheAccesses) {
  using enum AccessMode;
  struct Row {
    std::string_view what;
    std::vector<std::pair<std::string_view, std::vector<std::pair<int, AccessMode>>>> operations;
    std::vector<std::string> pairs;
  };
  const std::vector<Row> rows{
      {"a result depends on what it reads",
       {{"x", {{0, kOverwrite}}},
        {"y", {{1, kOverwrite}}},
        {"z", {{0, kRead}, {1, kRead}, {2, kOverwrite}}}},
       {"x>z", "y>z"}},
      {"a write depends on the reads before it",
       {{"x", {{0, kOverwrite}}},
        {"read", {{0, kRead}}},
        {"read too", {{0, kRead}}},
        {"replace", {{0, kOverwrite}}}},
       {"x>read", "x>read too", "read>replace!", "read too>replace!"}},
      {"a change uses the value and a replacement does not",
       {{"x", {{0, kOverwrite}}}, {"change", {{0, kWrite}}}, {"replace", {{0, kOverwrite}}}},
       {"x>change", "change>replace!"}},
      {"two reasons are one dependency",
       {{"both", {{0, kOverwrite}, {1, kOverwrite}}}, {"sum", {{0, kRead}, {1, kRead}}}},
       {"both>sum"}},
  };
  for (const Row& row : rows) {
    recorder_.start();
    const std::array<VariablePtr, 3> variables{make_variable(), make_variable(), make_variable()};
    for (const auto& [name, named] : row.operations) {
      engine::AccessList accesses;
      for (const auto& [variable, mode] : named) {
        accesses.push_back({variables[static_cast<std::size_t>(variable)], mode});
      }
      push(name, std::move(accesses));
    }
    EXPECT_EQ(pairs_of(graph()), row.pairs) << row.what;
  }
}

TEST_P(GraphRecorderTest, AVariableMadeInThePlaceOfAnotherIsAnother) {
  for (int i = 0; i < 100; ++i) {
    push("alone", {{make_variable(), AccessMode::kOverwrite}});
    engine_->wait_all();
  }

  EXPECT_THAT(graph().dependencies, IsEmpty());
}

TEST_P(GraphRecorderTest, TheOrderIsKeptAndEveryOperationHasRun) {
  for (int i = 0; i < 100; ++i) {
    push("change", {{x_, AccessMode::kWrite}});
    push("read", {{x_, AccessMode::kRead}});
  }

  const DependencyGraph found = graph();

  EXPECT_TRUE(is_order_kept(found));
  EXPECT_EQ(order_of_begins(found).size(), 200U);
  EXPECT_EQ(found.left_out, 0U);
}

TEST_P(GraphRecorderTest, KeepsNoVariableOnceItIsStopped) {
  push("x", {{x_, AccessMode::kOverwrite}});
  static_cast<void>(graph());
  push("x", {{x_, AccessMode::kOverwrite}});
  engine_->wait_all();

  EXPECT_TRUE(x_->is_unique());
  EXPECT_THAT(recorder_.stop().operations, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Workers, GraphRecorderTest, ::testing::Values(0, 1, 2));

TEST(GraphRecorderOverlap, IndependentOperationsOfTwoWorkersOverlap) {
  GraphRecorder recorder;
  const auto engine = engine::make_engine({.workers = 2, .observer = &recorder});
  recorder.start();
  test::Gate one;
  test::Gate other;
  engine->push({.name = "one", .body = [&] {
                  one.open();
                  other.pass();
                }});
  engine->push({.name = "other", .body = [&] {
                  other.open();
                  one.pass();
                }});
  engine->wait_all();

  EXPECT_EQ(parallel_peak(recorder.stop()), 2U);
}

using ::testing::ElementsAre;

/// z = x * y + 2, and then x replaced.
DependencyGraph chapter() {
  const auto operation = [](std::string name, std::string operands) {
    return GraphOperation{.name = std::move(name), .operands = std::move(operands)};
  };
  return {.operations = {operation("ones", "Float[1, 2]"), operation("ones", "Float[1, 2]"),
                         operation("mul", "Float[1, 2], \"<&>\""), operation("add", ""),
                         operation("fill", "")},
          .dependencies = {{.before = 0, .after = 2},
                           {.before = 1, .after = 2},
                           {.before = 2, .after = 3},
                           {.before = 2, .after = 4, .hazard = Hazard::kWriteAfterRead}}};
}

// Text, for Graphviz, and as a picture, with what ends a text escaped.
TEST(GraphText, HasEveryOperationAndDependency) {
  test::expect_golden(RUNAHEAD_SOURCE_FOLDER "/tests/core/trace/golden/graph.txt",
                      graph_text(chapter()));
  test::expect_golden(RUNAHEAD_SOURCE_FOLDER "/tests/core/trace/golden/graph.dot",
                      graph_dot(chapter()));
  test::expect_golden(RUNAHEAD_SOURCE_FOLDER "/tests/core/trace/golden/graph.svg",
                      graph_svg(chapter()));
}

TEST(DependencyGraph, LayersAreTheLongestChains) {
  EXPECT_THAT(layers_of(chapter()), ElementsAre(0, 0, 1, 2, 2));
}

TEST(DependencyGraph, OrderIsBrokenByAnOperationThatBeginsTooEarly) {
  const auto ran = [](int begun, int ended) {
    return GraphOperation{.begun = TimePoint(std::chrono::seconds(begun)),
                          .ended = TimePoint(std::chrono::seconds(ended))};
  };
  DependencyGraph graph{.operations = {ran(1, 3), ran(3, 4)},
                        .dependencies = {{.before = 0, .after = 1}}};
  EXPECT_TRUE(is_order_kept(graph));

  graph.operations[1] = ran(2, 4);
  EXPECT_FALSE(is_order_kept(graph));
  EXPECT_EQ(parallel_peak(graph), 2U);
}

}  // namespace
}  // namespace runahead::trace
