#pragma once

#include <string>

#include "core/record/record.h"

namespace runahead::cell {

/// The content of `results.<kind>` in the record, one entry per line: a median with its range, a
/// number, a fact, a word; members of objects by name and of lists by position. A multi-line text
/// follows its key. Pictures and lists of numbers longer than a line are left out. "" if it is
/// empty.
[[nodiscard]] std::string figures_table(const record::Record& record);

}  // namespace runahead::cell
