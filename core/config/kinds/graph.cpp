#include "core/config/shared_keys.h"

namespace runahead::config {
namespace {

void describe_graph(ProgramConfig& program, Fields& fields) {
  fields.integer({"branches", "Branches of the wide graph; they do not depend on each other."},
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
          .doc = "Paddle: the dependencies that are tracked in z = x * y + 2 and in a wider graph.",
          .describe = program_keys(describe_graph),
          .results = {
              {"z", "the result, read back"},
              {"z_as_expected", "whether every element was 3 in every schedule"},
              {"issue_seconds", "time until z has been issued"},
              {"read_seconds", "time until z has been read"},
              {"wide_seconds", "time to issue and compute the wide graph"},
              {"operations, dependencies",
               "counts in the graph of z; this row and those below are null on devices that report "
               "no graph"},
              {"text", "the graph of z, one line for each operation"},
              {"dot", "the same for Graphviz"},
              {"svg", "the same as a picture"},
              {"order_kept",
               "whether every operation, in every schedule, began after those that it "
               "depends on had ended"},
              {"orders", "number of different orders in which the wide graph's operations began"},
              {"parallel_peak", "most operations of the wide graph that ran at the same time"}}};
}

}  // namespace runahead::config
