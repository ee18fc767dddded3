#include "shown_figures.h"

#include <algorithm>
#include <optional>

#include "core/record/figures.h"

namespace runahead::python {
namespace {

/// "/time/issue_seconds" -> "time.issue_seconds".
std::string column_of(const record::Figure& figure) {
  std::string column = std::string(figure.pointer).substr(1);
  std::replace(column.begin(), column.end(), '/', '.');
  return column;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> shown_figures(const pybind11::dict& numbers) {
  std::vector<std::pair<std::string, std::string>> shown;
  for (const record::Figure& figure : record::figures_in(record::kSweep)) {
    const std::string column = column_of(figure);
    std::optional<double> value;
    if (numbers.contains(column)) value = numbers[column.c_str()].cast<double>();
    shown.emplace_back(figure.label, record::text_of(figure.unit, value));
  }
  return shown;
}

}  // namespace runahead::python
