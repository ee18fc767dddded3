#include "core/report/labels.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/sync_config.h"

namespace runahead::report {
namespace {

const Json& section(const Json& config, const char* name) {
  static const Json empty = Json::object();
  const Json& value = value_at(config, std::string("/") + name);
  return value.is_object() ? value : empty;
}

/// The value of a key as text, or "" if the key is missing.
std::string text_of(const Json& object, const char* key) {
  const Json& value = value_at(object, std::string("/") + key);
  return value.is_null() || value == "" ? "" : compact(value);
}

/// The policy of a record, with the keys that it knows. nullopt if this version does not know the
/// policy or one of its values.
std::optional<config::SyncConfig> known_policy(const Json& sync) {
  const std::string name = text_of(sync, "policy");
  const auto place = policy_place(name);
  if (!place) return std::nullopt;
  Json keys = Json::object();
  for (const std::string& key : config::keys_of_policy(*place)) {
    if (sync.contains(key)) keys[key] = sync[key];
  }
  try {
    return config::SyncConfig(name, keys);
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

/// The parts that are not empty.
std::string joined_parts(std::vector<std::string> parts, const char* separator) {
  std::erase(parts, "");
  return joined(parts, separator);
}

std::string in_brackets(const std::vector<std::string>& parts) {
  const std::string text = joined_parts(parts, ", ");
  return text.empty() ? "" : " (" + text + ")";
}

std::string device_label(const Json& config) {
  const std::string device = text_of(config, "device");
  if (device.starts_with("cuda") && value_at(config, "/data").is_object()) {
    const Json& cuda = section(config, "cuda");
    return device +
           in_brackets({spaced(text_of(cuda, "staging")), spaced(text_of(cuda, "copies"))});
  }
  if (device != "acpu") return device;
  const Json& acpu = section(config, "acpu");
  const std::string given = text_of(acpu, "workers");
  const std::string workers = given.empty() ? "1" : given;
  return device + in_brackets({workers + (workers == "1" ? " worker" : " workers"),
                               text_of(acpu, "ready_order"), text_of(acpu, "allocation")});
}

std::string model_label(const Json& config) {
  const Json& model = section(config, "model");
  const std::string features = text_of(section(config, "data"), "features");
  if (model.empty()) return features.empty() ? "" : features + " features";
  std::vector<std::string> widths{features};
  if (const Json& layers = value_at(model, "/layers"); layers.is_array()) {
    for (const Json& width : layers) widths.push_back(compact(width));
  }
  const std::string kind = text_of(model, "kind");
  return joined_parts({kind == "mlp" ? "MLP" : kind, joined_parts(widths, "-")}, " ");
}

std::string batches_label(const Json& config) {
  const std::string batches = text_of(config, "batches");
  if (batches.empty()) return "";
  const Json& data = section(config, "data");
  const std::string size = text_of(data, "batch_size");
  const std::string made = text_of(data, "made");
  return batches + " batches" + (size.empty() ? "" : " of " + size) +
         (made.empty() ? "" : ", made " + spaced(made));
}

}  // namespace

std::string spaced(std::string text) {
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string compact(const Json& value) {
  if (value.is_string() && value != "") return value.get<std::string>();
  if (!value.is_object() || value.empty()) return dump_json(value);
  return joined(value.items(), ", ",
                [](const auto& item) { return item.key() + " " + compact(item.value()); });
}

std::string axis_label(const std::string& pointer, const Json& value) {
  const std::string name = pointer.substr(pointer.rfind('/') + 1);
  return (name.empty() ? pointer : name) + " " + compact(value);
}

std::string axes_label(const Json& axes) {
  return joined(axes.items(), ", ",
                [](const auto& axis) { return axis_label(axis.key(), axis.value()); });
}

std::optional<std::size_t> policy_place(const std::string& policy) {
  const std::vector<std::string>& names = train::policy_names();
  const auto found = std::ranges::find(names, policy);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

std::string sync_label(const Json& sync) {
  const auto policy = known_policy(sync);
  return policy ? (*policy)->label() : text_of(sync, "policy");
}

std::string sync_phrase(const Json& sync) {
  if (const auto policy = known_policy(sync)) return (*policy)->phrase();
  const std::string name = text_of(sync, "policy");
  return name.empty() ? "In this run" : "With the policy “" + name + "”";
}

std::string with_source(const std::string& name, const std::string& source) {
  return source.empty() ? name : source + ": " + name;
}

std::string cell_name(const Run& run) {
  std::string name = axes_label(run.axes());
  if (name.empty()) name = sync_label(run.object("/config/sync"));
  if (name.empty()) name = run.text("/experiment");
  return name.empty() ? "run" : name;
}

std::string run_name(const Run& run) { return with_source(cell_name(run), run.source); }

std::string setting_label(const Json& config) {
  return joined_parts({device_label(config), model_label(config), batches_label(config)}, " · ");
}

bool setting_shows(const Json& config, const std::string& pointer) {
  const Json& value = value_at(config, pointer);
  if (value.is_null() || value.is_object()) return false;
  Json other = config;
  other[Json::json_pointer(pointer)] = "?";
  return setting_label(other) != setting_label(config);
}

}  // namespace runahead::report
