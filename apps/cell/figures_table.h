#pragma once

#include <string>

#include "core/record/record.h"

namespace runahead::cell {

/// What `results.<kind>` of the record holds, a line each: a median with its range, a number, a
/// fact, a word; parts of objects and lists by name and place. A text of several lines stands below
/// its key. Pictures are left out, and lists of numbers that are longer than a line. "" if it holds
/// nothing.
[[nodiscard]] std::string figures_table(const record::Record& record);

}  // namespace runahead::cell
