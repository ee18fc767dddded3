#include "core/config/experiment_config.h"

#include <iterator>

#include "core/base/error.h"
#include "core/base/json_reader.h"
#include "core/config/experiment_checks.h"
#include "core/config/experiment_kinds.h"
#include "core/config/field_reader.h"
#include "core/config/field_writer.h"
#include "core/config/sha256.h"

namespace runahead::config {
namespace {

/// On `acpu` a policy's budget is a bound on the committed bytes of the device.
void apply_budget(ExperimentConfig& config) {
  const std::optional<std::uint64_t> budget = config.sync->budget_bytes();
  if (config.device != "acpu" || !budget) return;
  config.acpu.limit.kind = LimitConfig::Kind::kExplicit;
  config.acpu.limit.bytes = budget;
}

/// Refuses `frameworks`, which was once a kind of experiment.
void refuse_removed_kind(const Json& document, const std::string& source) {
  if (!document.is_object() || document.value("experiment", Json()) != "frameworks") return;
  JsonProblems problems(source);
  problems.add(
      "/experiment",
      "found \"frameworks\", which is not a kind of experiment any more; run the tutorials on "
      "other frameworks with scripts/baselines/run");
  problems.throw_if_any();
}

/// Removes the keys of `object` that have the value in `defaults`, or null, and sections that are
/// then empty.
void drop_defaults(Json& object, const Json& defaults) {
  for (auto member = object.begin(); member != object.end();) {
    const Json known = defaults.is_object() ? defaults.value(member.key(), Json(nullptr)) : Json();
    if (member->is_object()) drop_defaults(*member, known);
    const bool says_nothing = member->is_null() || *member == known || *member == Json::object();
    member = says_nothing ? object.erase(member) : std::next(member);
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
  ObjectReader reader(document, "", problems, "an object, such as {\"experiment\": \"train\"}");
  problems.throw_if_any();
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
  ExperimentConfig copy = config;  // A description takes mutable members.
  FieldWriter writer;
  describe(copy, writer);
  return writer.take();
}

std::string config_id(const ExperimentConfig& config) {
  ExperimentConfig defaults;
  defaults.experiment = config.experiment;
  defaults.sync = SyncConfig(config.sync.policy());
  Json document = to_json(config);
  drop_defaults(document, to_json(defaults));
  document["experiment"] = config.experiment;
  document["sync_policy"] = config.sync.policy();
  return sha256_hex(dump_json(document));
}

bool is_device_name(const std::string& name) {
  constexpr std::string_view kCuda = "cuda:";
  if (!name.starts_with(kCuda)) return name == "cpu" || name == "acpu" || name == "cuda";
  const std::string index = name.substr(kCuda.size());
  return !index.empty() && index.size() <= 3 &&
         index.find_first_not_of("0123456789") == std::string::npos;
}

int cuda_index(const std::string& name) {
  const std::size_t colon = name.find(':');
  return colon == std::string::npos ? 0 : std::stoi(name.substr(colon + 1));
}

}  // namespace runahead::config
