// What is read, resolved and refused is in tests/apps/runahead: golden/config_sets.txt and
// golden/sweep_axes.txt, bad_inputs*.txt.
#include "core/config/experiment_config.h"

#include <gtest/gtest.h>

#include "core/config/experiment_kinds.h"

namespace runahead::config {
namespace {

/// `document` without the member that `pointer` names.
Json without(const Json& document, const Json::json_pointer& pointer) {
  Json rest = document;
  rest.at(pointer.parent_pointer()).erase(pointer.back());
  return rest;
}

/// The keys that a kind requires.
Json least_config(const ExperimentKind& kind) {
  Json document{{"experiment", kind.name}};
  if (kind.runs_command) document["command"] = {"true"};
  return document;
}

TEST(ExperimentConfig, AKeyAtItsDefaultLeavesTheIdAsAVersionWithoutTheKeyHasIt) {
  for (const ExperimentKind& kind : experiment_kinds()) {
    const Json document = least_config(kind);
    const std::string id = config_id(read_experiment(document, "test"));
    const Json resolved = to_json(read_experiment(document, "test"));
    const Json flat = resolved.flatten();
    for (const auto& [text, value] : flat.items()) {
      const Json::json_pointer pointer(text);
      if (text == "/experiment" || !resolved.at(pointer.parent_pointer()).is_object()) continue;
      EXPECT_EQ(config_id(read_experiment(without(resolved, pointer), "test")), id) << text;
    }
  }
}

}  // namespace
}  // namespace runahead::config
