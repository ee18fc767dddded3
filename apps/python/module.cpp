// runahead._C: the device library, loaded into the installed torch.
#include <ATen/Context.h>
#include <torch/csrc/utils/pybind.h>

#include <memory>
#include <optional>
#include <string>

#include "core/base/json.h"
#include "core/device/device.h"
#include "core/device/products/products.h"
#include "core/device/torch/pinned_allocator.h"
#include "core/train/pacer.h"
#include "device_options.h"
#include "exceptions.h"
#include "interpreter_lock.h"
#include "pacing/sync_settings.h"
#include "recording/acpu_recording.h"

namespace runahead::python {
namespace {

void register_acpu() {
  const std::optional<engine::RunAheadLimit> limit = limit_of_environment();
  register_device();
  const py::gil_scoped_release unlocked;
  device::reconfigure([&limit](device::DeviceOptions& options) {
    if (limit) options.limit = limit;
    options.wait_hooks = interpreter_lock_hooks();
    options.drop_foreign_error = drop_python_error;
  });
}

py::dict memory_stats() {
  const device::MemoryStats stats = device::memory_stats();
  py::dict dict;
  for (const auto& [name, current, peak] : device::memory_figures()) {
    const std::string key = name;
    dict[py::str(key)] = stats.*current;
    dict[py::str(key.substr(0, key.size() - std::string("_bytes").size()) + "_peak_bytes")] =
        stats.*peak;
  }
  return dict;
}

py::dict host_memory_stats() {
  py::dict dict;
  for (const auto& [name, value] : device::pinned_memory_statistics()) dict[name.c_str()] = value;
  return dict;
}

py::dict backlog() {
  const device::Backlog backlog = device::backlog();
  py::dict dict;
  dict["operations"] = backlog.operations;
  dict["bytes"] = backlog.bytes;
  dict["oldest_seconds"] = backlog.oldest_seconds;
  return dict;
}

void set_limit(const py::object& operations, const py::object& bytes, const py::object& seconds) {
  device::set_limit(limit_of(operations, bytes, seconds));
}

void configure(const py::kwargs& settings) {
  const DeviceChanges changes(settings);
  const py::gil_scoped_release unlocked;
  device::reconfigure([&changes](device::DeviceOptions& options) { changes.apply(options); });
}

std::unique_ptr<Pacer> make_pacer(const std::string& policy, const py::object& value,
                                  const py::dict& keys) {
  const config::SyncConfig sync = sync_settings(policy, value, keys);
  const py::gil_scoped_release unlocked;
  return std::make_unique<Pacer>(torch::Device(at::kPrivateUse1), sync);
}

void pace(Pacer& pacer, const std::optional<at::Tensor>& loss, std::uint64_t kept_bytes) {
  const py::gil_scoped_release unlocked;
  pacer.after_batch(loss.value_or(at::Tensor()), kept_bytes);
}

at::Generator default_generator() {
  return at::globalContext().defaultGenerator(at::Device(at::kPrivateUse1, 0));
}

/// Leaves errors to other waits.
void wait_for_issued() { device::mark(nullptr).wait(device::options().wait_hooks.check); }

}  // namespace
}  // namespace runahead::python

PYBIND11_MODULE(_C, module) {
  using namespace runahead::python;
  using runahead::device::blocking_operators;
  register_exceptions();
  module.def("register_acpu", &register_acpu);
  module.def("finish", &runahead::device::finish, py::call_guard<py::gil_scoped_release>());
  module.def("keep_to_this_thread", &runahead::device::keep_to_this_thread,
             py::call_guard<py::gil_scoped_release>());
  module.def("drop_queued", &runahead::device::drop_queued);
  module.def("is_forked", &runahead::device::is_forked);
  module.def("synchronize", &runahead::device::synchronize);
  module.def("wait_for_issued", &wait_for_issued, py::call_guard<py::gil_scoped_release>());
  module.def("memory_stats", &memory_stats);
  module.def("reset_peaks", &runahead::device::reset_peaks,
             py::call_guard<py::gil_scoped_release>());
  module.def("backlog", &backlog);
  module.def("host_memory_stats", &host_memory_stats);
  module.def("reset_peak_host_memory_stats", &runahead::device::reset_pinned_peaks);
  module.def("blocking_operators", &blocking_operators);
  module.def("product_report",
             [] { return runahead::dump_json(runahead::device::product_report()); });
  module.def("set_limit", &set_limit);
  module.def("configure", &configure);
  module.def("default_generator", &default_generator);
  py::class_<runahead::Pacer>(module, "Pacer", py::module_local())
      .def(py::init(&make_pacer))
      .def("after_batch", &pace);
  add_acpu_recording(module);
}
