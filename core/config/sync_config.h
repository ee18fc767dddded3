#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/base/json.h"
#include "core/train/policies/sync_policy.h"

namespace runahead::config {

using train::WaitKind;

/// The section `sync`: one policy with the values of its keys. Immutable; copies share the policy.
class SyncConfig {
 public:
  /// `every_batch` with its defaults.
  SyncConfig();
  /// The policy of that name, with `keys` as in a config; the other keys have their defaults.
  /// @throws ConfigError for anything a config may not contain.
  SyncConfig(const std::string& policy, const Json& keys = Json::object());

  [[nodiscard]] std::string policy() const { return policy_->name(); }
  /// The value of one of the policy's keys; null if it has no such key.
  [[nodiscard]] Json value(const std::string& key) const;

  const train::SyncPolicy* operator->() const noexcept { return policy_.get(); }

 private:
  friend void describe(SyncConfig& sync, Fields& fields);

  std::shared_ptr<const train::SyncPolicy> policy_;
};

void describe(SyncConfig& sync, Fields& fields);

/// The keys of a sync policy other than `policy`. @param index  In train::policy_names().
[[nodiscard]] std::vector<std::string> keys_of_policy(std::size_t index);

}  // namespace runahead::config
