#include "sync_settings.h"

#include <algorithm>
#include <vector>

#include "core/base/error.h"
#include "python_json.h"

namespace runahead::python {
namespace {

namespace py = pybind11;

/// The key that `Pacer("window", 2)` omits.
std::string first_key(const std::string& policy, const py::object& value) {
  const std::vector<std::string>& names = train::policy_names();
  const auto name = std::find(names.begin(), names.end(), policy);
  if (name == names.end()) static_cast<void>(config::SyncConfig(policy));  // Throws.
  const auto keys = config::keys_of_policy(static_cast<std::size_t>(name - names.begin()));
  if (!keys.empty()) return keys.front();
  throw ConfigError("Pacer: found the value " + py::repr(value).cast<std::string>() +
                    ", but the policy '" + policy + "' takes none");
}

}  // namespace

config::SyncConfig sync_settings(const std::string& policy, const py::object& value,
                                 const py::dict& keys) {
  const py::dict all = keys.attr("copy")();
  if (!value.is_none()) {
    const py::str key(first_key(policy, value));
    if (all.contains(key)) {
      throw ConfigError("Pacer: found " + key.cast<std::string>() +
                        " twice, by its place and by its name: leave one out");
    }
    all[key] = value;
  }
  return {policy, json_of(all, "Pacer")};
}

}  // namespace runahead::python
