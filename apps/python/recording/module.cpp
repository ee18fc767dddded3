// runahead._recording: records a loop on a device whose events come from Python's torch.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/recording/loop_recording.h"
#include "library_errors.h"
#include "loop_settings.h"
#include "python_json.h"
#include "shown_figures.h"

namespace runahead::python {
namespace {

namespace py = pybind11;

/// The values that the program published last: counters that only Python can read, since the
/// monitor's thread must not wait for Python. Thread-safe.
class Published {
 public:
  explicit Published(std::size_t count) : values_(count) {
    for (auto& value : values_) value.store(kNone);
  }

  void set(std::size_t place, memory::Reading value) noexcept {
    values_[place].store(value.value_or(kNone), std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  /// nullopt before anything was published.
  [[nodiscard]] memory::Reading get(std::size_t place) const noexcept {
    const std::uint64_t value = values_[place].load(std::memory_order_relaxed);
    return value == kNone ? std::nullopt : memory::Reading(value);
  }

 private:
  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

  std::vector<std::atomic<std::uint64_t>> values_;
};

/// A LoopRecording whose batches Python counts.
class EventRecording {
 public:
  /// @param columns  Name and label of each value passed to publish().
  EventRecording(const py::dict& options, const py::dict& columns)
      : published_(std::make_shared<Published>(columns.size())) {
    std::vector<memory::Column> described;
    for (const auto& [name, label] : columns) {
      described.emplace_back(name.cast<std::string>(), label.cast<std::string>());
    }
    std::vector<std::unique_ptr<memory::Probe>> probes;
    if (!described.empty()) {
      probes.push_back(std::make_unique<memory::FunctionProbe>(
          std::move(described), [values = published_](std::span<memory::Reading> readings) {
            for (std::size_t i = 0; i < readings.size(); ++i) readings[i] = values->get(i);
          }));
    }
    recording::LoopOptions read = loop_options(options);
    const py::gil_scoped_release unlocked;
    loop_ = std::make_unique<recording::LoopRecording>(std::move(read), std::move(probes));
  }

  void start() {
    loop_->start();
    started_ = Clock::now();
  }

  /// Seconds since start().
  [[nodiscard]] double seconds() const { return seconds_between(started_, Clock::now()); }

  void batch(const py::object& examples, std::uint64_t kept_bytes, bool has_finished) {
    if (has_finished) loop_->batches()->finish(Clock::now(), kept_bytes);
    loop_->batch_issued(optional_count(examples), kept_bytes);
  }

  /// Call when the oldest batch in flight has finished. @param seconds  Since start().
  void finish_batch(double seconds, std::uint64_t kept_bytes) {
    const std::chrono::duration<double> since(seconds);
    loop_->batches()->finish(started_ + std::chrono::duration_cast<Clock::duration>(since),
                             kept_bytes);
  }

  /// @param values  None for what is not counted.
  void publish(const py::sequence& values) {
    for (std::size_t i = 0; i < published_->size(); ++i) {
      published_->set(i, values[i].cast<memory::Reading>());
    }
  }

  void end_issue() { loop_->end_issue(); }
  void stop() { loop_->stop(); }

  /// @param cuda  The value of memory.cuda in the record.
  void write(const py::dict& end, const py::object& cuda) {
    const recording::LoopEnd read = loop_end(end);
    const Json counted = json_of(cuda, "a value of Python");
    const py::gil_scoped_release unlocked;
    loop_->write(read, [&counted](record::Record& record) { record.memory.cuda = counted; });
  }

 private:
  std::shared_ptr<Published> published_;
  std::unique_ptr<recording::LoopRecording> loop_{};
  TimePoint started_{};
};

}  // namespace
}  // namespace runahead::python

PYBIND11_MODULE(_recording, module) {
  namespace py = pybind11;
  using namespace runahead::python;
  using Unlocked = py::call_guard<py::gil_scoped_release>;
  py::register_local_exception_translator(translate_library_error);
  module.def("shown_figures", &shown_figures);
  py::class_<EventRecording>(module, "Recording", py::module_local())
      .def(py::init<const py::dict&, const py::dict&>())
      .def("start", &EventRecording::start, Unlocked())
      .def("seconds", &EventRecording::seconds)
      .def("batch", &EventRecording::batch)
      .def("finish_batch", &EventRecording::finish_batch)
      .def("publish", &EventRecording::publish)
      .def("end_issue", &EventRecording::end_issue)
      .def("stop", &EventRecording::stop, Unlocked())
      .def("write", &EventRecording::write);
}
