#include "python_json.h"

namespace runahead::python {

Json json_of(const pybind11::object& value, const std::string& source) {
  const auto dumps = pybind11::module_::import("json").attr("dumps");
  return parse_json(dumps(value).cast<std::string>(), source);
}

}  // namespace runahead::python
