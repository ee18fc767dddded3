// runahead._pacing: the sync policies over the events of Python's torch.
#include <pybind11/pybind11.h>

#include "event_pacer.h"
#include "library_errors.h"
#include "sync_settings.h"

namespace runahead::python {
namespace {

namespace py = pybind11;

std::unique_ptr<EventPacer> make_event_pacer(const std::string& policy, const py::object& value,
                                             const py::dict& keys, const py::object& record_event,
                                             const py::object& wait, const py::object& warn) {
  return std::make_unique<EventPacer>(sync_settings(policy, value, keys), record_event, wait, warn);
}

}  // namespace
}  // namespace runahead::python

PYBIND11_MODULE(_pacing, module) {
  namespace py = pybind11;
  using namespace runahead::python;
  py::register_local_exception_translator(translate_library_error);
  module.def("check", [](const std::string& policy, const py::object& value, const py::dict& keys) {
    static_cast<void>(sync_settings(policy, value, keys));
  });
  py::class_<EventPacer>(module, "EventPacer", py::module_local())
      .def(py::init(&make_event_pacer))
      .def("after_batch", &EventPacer::after_batch);
}
