#pragma once

#include <map>
#include <string>

#include "core/base/error.h"

namespace runahead::experiment {

/// The factory of `kind`. @param pointer  JSON pointer to where the config names the kind.
/// @throws ConfigError if there is none.
template <typename Factory>
[[nodiscard]] const Factory& find_factory(const std::map<std::string, Factory>& factories,
                                          const std::string& kind, const std::string& pointer) {
  const auto found = factories.find(kind);
  if (found == factories.end()) throw ConfigError(pointer + ": '" + kind + "' is not built");
  return found->second;
}

}  // namespace runahead::experiment
