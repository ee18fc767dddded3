#include "core/config/shared_keys.h"

namespace runahead::config {
namespace {

void describe_graph(ProgramConfig& program, Fields& fields) {
  fields.integer({"branches", "Of the wide graph; they do not depend on each other."},
                 program.branches, {1, 1024});
  fields.integer({"branch_operations", "Products in each branch, one after another."},
                 program.branch_operations, {1, 1024});
  describe_size(program, fields);
  fields.integer({"schedules", "How often both graphs run and their order is checked."},
                 program.schedules, {1, 1'000'000});
}

}  // namespace

ExperimentKind make_graph() {
  return {.name = "graph",
          .doc = "Paddle: z = x * y + 2 and a wider graph: the dependencies that are tracked.",
          .describe = program_keys(describe_graph),
          .results = {{"z", "the result, read back"},
                      {"z_as_expected", "every element was 3, each time"},
                      {"issue_seconds", "until z has been issued"},
                      {"read_seconds", "until z has been read"},
                      {"wide_seconds", "the wide graph, issued and computed"},
                      {"operations, dependencies",
                       "of the graph of z; null, as all that follows, "
                       "where no engine reports it"},
                      {"text", "this graph, a line an operation"},
                      {"dot", "the same for Graphviz"},
                      {"svg", "the same as a picture"},
                      {"order_kept",
                       "in no schedule of both graphs an operation began before one "
                       "that it depends on had ended"},
                      {"orders", "different orders in which the wide graph's operations began"},
                      {"parallel_peak", "most operations of the wide graph at once"}}};
}

}  // namespace runahead::config
