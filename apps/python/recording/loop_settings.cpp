#include "loop_settings.h"

#include "core/record/status.h"

namespace runahead::python {
namespace {

namespace py = pybind11;

std::optional<std::string> optional_text(const py::dict& values, const char* key) {
  const py::object value = values.attr("get")(key);
  return value.is_none() ? std::nullopt : std::optional(value.cast<std::string>());
}

}  // namespace

recording::LoopOptions loop_options(const py::dict& options) {
  recording::LoopOptions read{.folder = options["folder"].cast<std::string>(),
                              .rate_hz = options["rate_hz"].cast<double>(),
                              .traces = options["trace"].cast<bool>(),
                              .torch = optional_text(options, "torch")};
  for (const py::handle argument : options["command"]) {
    read.command.push_back(argument.cast<std::string>());
  }
  return read;
}

recording::LoopEnd loop_end(const py::dict& end) {
  return {.status = record::status_of(end["status"].cast<std::string>()).value(),
          .error = optional_text(end, "error"),
          .device = end["device"].cast<std::string>(),
          .executes_at_issue = end["executes_at_issue"].cast<bool>(),
          .cuda = optional_text(end, "cuda"),
          .gpu = optional_text(end, "gpu")};
}

std::optional<std::uint64_t> optional_count(const py::object& value) {
  return value.is_none() ? std::nullopt : std::optional(value.cast<std::uint64_t>());
}

}  // namespace runahead::python
