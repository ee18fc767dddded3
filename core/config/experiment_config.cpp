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
  return sha256_hex(dump_json(to_json(config)));
}

}  // namespace runahead::config
