#include "core/config/experiment_config.h"

#include "core/base/error.h"
#include "core/base/json_reader.h"
#include "core/base/sha256.h"
#include "core/config/experiment_checks.h"
#include "core/config/experiment_fields.h"
#include "core/config/field_reader.h"
#include "core/config/field_writer.h"

namespace runahead::config {
namespace {

/// On `acpu` the sync policy `budget` is a bound on the committed bytes of the device.
void apply_budget(ExperimentConfig& config) {
  if (config.device == "acpu" && config.sync.policy == SyncPolicyKind::kBudget) {
    config.acpu.limit.kind = LimitConfig::Kind::kExplicit;
    config.acpu.limit.bytes = config.sync.bytes;
  }
}

/// Other frameworks were an experiment of their own.
void refuse_removed_kind(const Json& document, const std::string& source) {
  if (!document.is_object() || document.value("experiment", Json()) != "frameworks") return;
  JsonProblems problems(source);
  problems.add(
      "/experiment",
      "found \"frameworks\", which is no kind of experiment any more; run the tutorials on "
      "other frameworks with scripts/baselines/run");
  problems.throw_if_any();
}

/// Keys younger than ids, with what held before there were such keys.
const Json& younger_keys() {
  static const Json keys = {{"log_every", 0}, {"cuda", {{"copies", "in_order"}, {"buffers", 4}}}};
  return keys;
}

/// Takes away the keys of `known` that have its value, those within sections included.
void drop_equal(Json& object, const Json& known) {
  for (const auto& [key, value] : known.items()) {
    if (!object.contains(key)) continue;
    if (value.is_object()) {
      drop_equal(object[key], value);
    } else if (object[key] == value) {
      object.erase(key);
    }
  }
}

}  // namespace

ExperimentConfig load_experiment(const std::filesystem::path& path,
                                 const std::vector<std::string>& sets) {
  Json document = read_json_file(path);
  std::string source = path.string();
  for (const std::string& assignment : sets) {
    apply_set(document, assignment);
    source += " --set " + assignment;
  }
  return read_experiment(document, source);
}

ExperimentConfig read_experiment(const Json& document, const std::string& source) {
  if (is_sweep(document)) {
    throw ConfigError(source +
                      ": found a sweep config (it has \"base\" or \"axes\"); allowed: an "
                      "experiment config; run a sweep with `runahead sweep`");
  }
  refuse_removed_kind(document, source);
  JsonProblems problems(source);
  ExperimentConfig config;
  ObjectReader reader(document, "", problems);
  FieldReader fields(reader);
  describe(config, fields);
  fields.finish();
  problems.throw_if_any();
  check(config, problems);
  problems.throw_if_any();
  apply_budget(config);
  return config;
}

bool is_sweep(const Json& document) {
  return document.is_object() && !document.contains("experiment") &&
         (document.contains("base") || document.contains("axes"));
}

Json to_json(const ExperimentConfig& config) {
  ExperimentConfig copy = config;  // A description needs members that it could change.
  FieldWriter writer;
  describe(copy, writer);
  return writer.take();
}

std::string config_id(const ExperimentConfig& config) {
  Json document = to_json(config);
  drop_equal(document, younger_keys());
  return sha256_hex(dump_json(document));
}

}  // namespace runahead::config
