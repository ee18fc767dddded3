#pragma once

#include <string>
#include <vector>

#include "core/report/run.h"

namespace runahead::report {

struct Fact {
  std::string name{};
  std::string text{};
};

/// Where records come from: when they were made (UTC), on which host, by which command and version.
/// A fact that no record has is left out. If hosts, commands or versions differ, the text names the
/// first and the number of others.
[[nodiscard]] std::vector<Fact> origin_of(const std::vector<Run>& runs);

/// "0.1.0 (revision)"; "" if the record names no version, as for a run that never began.
[[nodiscard]] std::string version_of(const Run& run);

}  // namespace runahead::report
