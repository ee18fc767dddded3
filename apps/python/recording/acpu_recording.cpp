#include "recording/acpu_recording.h"

#include <memory>
#include <utility>

#include "core/train/acpu_recording.h"
#include "recording/loop_settings.h"

namespace runahead::python {
namespace {

namespace py = pybind11;
using train::AcpuRecording;

struct DeleteUnlocked {
  void operator()(AcpuRecording* recording) const {
    const py::gil_scoped_release unlocked;
    delete recording;
  }
};
using Holder = std::unique_ptr<AcpuRecording, DeleteUnlocked>;

Holder make_recording(const py::dict& options) {
  recording::LoopOptions read = loop_options(options);
  const py::gil_scoped_release unlocked;
  return Holder(new AcpuRecording(std::move(read)));
}

void count_batch(AcpuRecording& recording, const py::object& examples) {
  recording.batch(python::optional_count(examples));
}

void write(AcpuRecording& recording, const py::dict& end) {
  recording::LoopEnd read = loop_end(end);
  const py::gil_scoped_release unlocked;
  recording.write(std::move(read));
}

}  // namespace

void add_acpu_recording(py::module_& module) {
  using Unlocked = py::call_guard<py::gil_scoped_release>;
  py::class_<AcpuRecording, Holder>(module, "Recording", py::module_local())
      .def(py::init(&make_recording))
      .def("start", &AcpuRecording::start, Unlocked())
      .def("batch", &count_batch)
      .def("set_class", &AcpuRecording::set_class)
      .def("end_issue", &AcpuRecording::end_issue)
      .def("end_counting", &AcpuRecording::end_counting)
      .def("stop", &AcpuRecording::stop, Unlocked())
      .def("write", &write);
}

}  // namespace runahead::python
