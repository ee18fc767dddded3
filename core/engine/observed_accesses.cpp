#include "core/engine/observed_accesses.h"

#include "core/engine/operation_node.h"

namespace runahead::engine {

std::vector<Access> accesses_of(const OperationEvent& event) {
  std::vector<Access> accesses;
  if (event.node == nullptr) return accesses;
  accesses.reserve(event.node->accesses.size());
  for (const PendingAccess& access : event.node->accesses) {
    accesses.push_back({access.variable, access.mode});
  }
  return accesses;
}

}  // namespace runahead::engine
