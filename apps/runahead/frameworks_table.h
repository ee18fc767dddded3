#pragma once

#include <string>

#include "core/record/record.h"

namespace runahead::apps {

/// The medians of a record of the kind `frameworks`: a row a figure, a column a framework, "-"
/// where it has none; then a line for each framework that has none at all, with the reason.
[[nodiscard]] std::string frameworks_table(const record::Record& record);

}  // namespace runahead::apps
