#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <utility>
#include <vector>

namespace runahead::python {

/// The label and the text with unit ("issue time", "62.8 µs") of each figure that tables of runs
/// show; "-" if not measured.
/// @param numbers  The finite numbers of a record, keyed by the columns of runahead.read:
///                 "time.issue_seconds".
[[nodiscard]] std::vector<std::pair<std::string, std::string>> shown_figures(
    const pybind11::dict& numbers);

}  // namespace runahead::python
