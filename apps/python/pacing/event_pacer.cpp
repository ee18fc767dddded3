#include "event_pacer.h"

#include <string>
#include <utility>

#include "core/base/error.h"

namespace runahead::python {
namespace {

namespace py = pybind11;

class PythonMark final : public train::Mark {
 public:
  explicit PythonMark(py::object event) : event_(std::move(event)) {}
  bool is_finished() override { return event_.attr("query")().cast<bool>(); }
  void wait() override { event_.attr("synchronize")(); }

 private:
  py::object event_;
};

class PythonMarks final : public train::MarkSource {
 public:
  explicit PythonMarks(py::object record_event) : record_event_(std::move(record_event)) {}
  std::unique_ptr<train::Mark> mark(FinishedCallback on_finished) override {
    RUNAHEAD_REQUIRE(!on_finished, "events of Python call nothing back");
    return std::make_unique<PythonMark>(record_event_());
  }

 private:
  py::object record_event_;
};

}  // namespace

EventPacer::EventPacer(const config::SyncConfig& sync, const py::object& record_event,
                       const py::object& wait, const py::object& warn)
    : marks_(std::make_unique<PythonMarks>(record_event)) {
  waiter_ = sync->start({.back_end = *marks_,
                         .make_wait = [this, wait](train::WaitKind kind) -> train::Wait {
                           return [this, wait, name = train::name_of(kind)](
                                      const train::IssuedBatch&) { wait(name, loss_); };
                         },
                         .window = &window_,
                         .on_notice = [warn](const std::string& text) { warn(text); }});
  waiter_->before_batch();
}

EventPacer::~EventPacer() = default;

void EventPacer::after_batch(const py::object& loss, std::uint64_t kept_bytes) {
  loss_ = loss;
  waiter_->after_batch({.kept_bytes = kept_bytes});
  loss_ = py::none();  // Its graph must not live until the next batch.
  waiter_->before_batch();
}

}  // namespace runahead::python
