#include "core/trace/graph_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/golden.h"

namespace runahead::trace {
namespace {

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
