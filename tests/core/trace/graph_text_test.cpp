#include "core/trace/graph_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runahead::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

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

TEST(GraphText, ForGraphvizEscapesWhatEndsAText) {
  const std::string dot = graph_dot(chapter());

  EXPECT_EQ(dot.rfind("digraph operations {", 0), 0U);
  EXPECT_THAT(dot, HasSubstr("n3 [label=\"3 mul\\nFloat[1, 2], \\\"<&>\\\"\"];"));
  EXPECT_THAT(dot, HasSubstr("n1 -> n3;"));
  EXPECT_THAT(dot, HasSubstr("n3 -> n5 [style=dashed, label=\"write after read\"];"));
}

TEST(GraphText, ThePictureHasABoxAnOperationAndAnArrowADependency) {
  const std::string svg = graph_svg(chapter());

  const auto count = [&svg](const std::string& part) {
    std::size_t found = 0;
    for (auto at = svg.find(part); at != std::string::npos; at = svg.find(part, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("<rect "), 5U);
  EXPECT_EQ(count("marker-end"), 4U);
  EXPECT_EQ(count("stroke-dasharray"), 1U);
  EXPECT_THAT(svg, HasSubstr("Float[1, 2], &quot;&lt;&amp;&gt;&quot;"));
  EXPECT_THAT(svg, Not(HasSubstr("<&>")));
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
