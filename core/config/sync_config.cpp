#include "core/config/sync_config.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/base/json_reader.h"
#include "core/config/field_reader.h"
#include "core/config/field_writer.h"

namespace runahead::config {
namespace {

constexpr const char* kDefaultPolicy = "every_batch";

std::size_t policy_index(const std::string& name) {
  const std::vector<std::string>& names = train::policy_names();
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

}  // namespace

SyncConfig::SyncConfig() : policy_(train::policy_makers().at(policy_index(kDefaultPolicy))()) {}

SyncConfig::SyncConfig(const std::string& policy, const Json& keys) : SyncConfig() {
  if (!keys.is_object()) {
    throw ConfigError("the keys of a sync policy are " + keys.dump() +
                      "; give an object, such as {{\"batches\", 2}} for window");
  }
  Json document = keys;
  document["policy"] = policy;
  JsonProblems problems("sync policy");
  ObjectReader reader(document, "", problems);
  FieldReader fields(reader);
  describe(*this, fields);
  fields.finish();
  problems.throw_if_any();
}

Json SyncConfig::value(const std::string& key) const {
  FieldWriter writer;
  policy_->clone()->describe(writer);
  return writer.take().value(key, Json(nullptr));
}

void describe(SyncConfig& sync, Fields& fields) {
  const std::size_t present = policy_index(sync.policy());
  std::size_t chosen = present;
  std::map<std::size_t, std::unique_ptr<train::SyncPolicy>> described;
  fields.variant(
      {"policy", "When the front end waits for the back end."}, chosen, train::policy_names(),
      /*is_required=*/false, [&](std::size_t index, Fields& keys) {
        auto policy = index == present ? sync.policy_->clone() : train::policy_makers().at(index)();
        policy->describe(keys);
        described.emplace(index, std::move(policy));  // Keeps the first, which was read.
      });
  const auto found = described.find(chosen);
  if (found != described.end()) sync.policy_ = std::move(found->second);
}

std::vector<std::string> keys_of_policy(std::size_t index) {
  return keys_described_by(
      [index](Fields& fields) { train::policy_makers().at(index)()->describe(fields); });
}

}  // namespace runahead::config
