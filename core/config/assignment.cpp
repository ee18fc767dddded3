#include <algorithm>

#include "core/base/error.h"
#include "core/base/json_pointer.h"
#include "core/base/number_text.h"
#include "core/config/experiment_config.h"

namespace runahead::config {
namespace {

/// The element of `parent` that `key` names; created if `parent` is an object that lacks it.
Json& child(Json& parent, const std::string& key, const std::string& pointer,
            const std::string& parent_pointer) {
  if (parent.is_object()) return parent[key];
  if (parent.is_array()) {
    const auto index = parse_number<std::size_t>(key);
    if (index && *index < parent.size()) return parent[*index];
    throw ConfigError(pointer + ": there is no element \"" + key + "\"; " + parent_pointer +
                      " has " + counted(parent.size(), "element") +
                      ", counted from 0; set one of these, or the whole array");
  }
  throw ConfigError(pointer + ": " + parent_pointer + " is " + dump_json(parent) +
                    ", which has no keys; set it whole");
}

/// Drops the keys of sync that only other policies have; unknown ones stay, to be reported.
void drop_keys_of_other_policies(Json& sync) {
  const auto& policies = train::policy_names();
  const auto policy = std::find(policies.begin(), policies.end(), sync["policy"]);
  if (policy == policies.end()) return;
  const auto own = keys_of_policy(static_cast<std::size_t>(policy - policies.begin()));
  for (std::size_t index = 0; index < policies.size(); ++index) {
    for (const std::string& key : keys_of_policy(index)) {
      if (std::ranges::find(own, key) == own.end()) sync.erase(key);
    }
  }
}

}  // namespace

void set_value(Json& document, const std::string& pointer, const Json& value) {
  const std::vector<std::string> keys = split_pointer(pointer);
  if (keys.empty()) {
    throw ConfigError(
        "the pointer \"\" is the whole config; allowed: a pointer to a key, as in "
        "\"/data/batch_size\"");
  }
  Json* place = &document;
  std::string reached;
  for (const std::string& key : keys) {
    if (place->is_null() && !reached.empty()) *place = Json::object();
    place = &child(*place, key, pointer, reached);
    reached = child_pointer(reached, key);
  }
  *place = value;
  if (pointer == "/sync/policy") drop_keys_of_other_policies(document["sync"]);
}

void apply_set(Json& document, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string pointer(assignment.substr(0, equals));
  if (equals != std::string_view::npos && !pointer.empty() && pointer.front() != '/') {
    throw ConfigError("--set " + std::string(assignment) + ": a key begins with a slash: --set /" +
                      std::string(assignment));
  }
  if (equals == std::string_view::npos || pointer.empty()) {
    throw ConfigError("--set " + std::string(assignment) +
                      (equals == std::string_view::npos ? ": found no value" : ": found no key") +
                      "; allowed: /KEY=VALUE, as in --set /data/batch_size=256");
  }
  if (!document.is_object()) return;  // The reader of the config reports it, with its name.
  const std::string text(assignment.substr(equals + 1));
  Json value = text;
  const bool begins_as_json =
      text.starts_with('{') || text.starts_with('[') || text.starts_with('"');
  if (begins_as_json || Json::accept(text)) {
    value = parse_json(text, "--set " + std::string(assignment));
  }
  try {
    set_value(document, pointer, value);
  } catch (const ConfigError& error) {
    throw ConfigError("--set " + std::string(assignment) + ": " + error.what());
  }
}

}  // namespace runahead::config
