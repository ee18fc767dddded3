#pragma once

#include <string>
#include <vector>

#include "core/report/run.h"

namespace runahead::report {

struct Fact {
  std::string name{};
  std::string text{};
};

/// Where records come from: when they were made (UTC), on which host, by which command, by which
/// version. What no record has is left out; of what differs, the first and how many more.
[[nodiscard]] std::vector<Fact> origin_of(const std::vector<Run>& runs);

/// "0.1.0 (revision)"; "" if the record, perhaps of a run that never began, names none.
[[nodiscard]] std::string version_of(const Run& run);

}  // namespace runahead::report
