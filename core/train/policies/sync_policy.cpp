#include "core/train/policies/sync_policy.h"

namespace runahead::train {

const std::vector<std::string>& policy_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const PolicyMaker make : policy_makers()) all.push_back(make()->name());
    return all;
  }();
  return names;
}

}  // namespace runahead::train
