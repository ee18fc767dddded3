#include "core/train/acpu_recording.h"

#include <algorithm>
#include <array>
#include <exception>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/device/device.h"
#include "core/engine/observer_list.h"
#include "core/engine/operation_error.h"
#include "core/memory/probe.h"
#include "core/train/acpu_observers.h"
#include "core/train/acpu_report.h"

namespace runahead::train {
namespace {

using device::TensorClass;

constexpr const char* kDevice = "acpu";

constexpr std::array<std::pair<std::string_view, TensorClass>, 5> kClasses{
    {{"parameters", TensorClass::kParameters},
     {"inputs", TensorClass::kInputs},
     {"activations", TensorClass::kActivations},
     {"gradients", TensorClass::kGradients},
     {"optimizer_state", TensorClass::kOptimizerState}}};

/// Observes the engine for a recording, and keeps the objects that it reports to alive as long as
/// the engine may call it.
struct RecordingObserver {
  std::shared_ptr<BusyMeter> busy_meter;
  std::shared_ptr<recording::LoopRecording> loop;
  engine::ObserverList list;
};

std::shared_ptr<engine::Observer> make_observer(
    const std::shared_ptr<BusyMeter>& busy_meter,
    const std::shared_ptr<recording::LoopRecording>& loop) {
  std::vector<engine::Observer*> observers{busy_meter.get()};
  if (loop->trace_recorder() != nullptr) observers.push_back(loop->trace_recorder());
  const auto observer = std::make_shared<RecordingObserver>(
      RecordingObserver{busy_meter, loop, engine::ObserverList(std::move(observers))});
  return {observer, &observer->list};
}

std::uint64_t trained_state_bytes(const device::MemoryStats& stats) {
  return stats.class_bytes[static_cast<std::size_t>(TensorClass::kParameters)] +
         stats.class_bytes[static_cast<std::size_t>(TensorClass::kOptimizerState)];
}

}  // namespace

AcpuRecording::AcpuRecording(recording::LoopOptions options) {
  options.executors = std::max(1, device::workers());
  std::vector<std::unique_ptr<memory::Probe>> probes;
  probes.push_back(device::make_memory_probe());
  loop_ = std::make_shared<recording::LoopRecording>(std::move(options), std::move(probes));
}

AcpuRecording::~AcpuRecording() {
  if (observer_ != nullptr && !device::is_forked()) leave_device();
}

void AcpuRecording::start() {
  device::synchronize();
  auto observer = make_observer(busy_meter_, loop_);
  AcpuObservers::get().begin_recording(observer);
  observer_ = std::move(observer);
  device::reset_peaks();
  device::listen_for_peak_resets([this](bool forgets_calls) {
    forgets_calls ? report_acpu(counted_) : report_acpu_peaks(counted_);
  });
  const device::MemoryStats stats = device::memory_stats();
  claimed_bytes_at_start_ = stats.claimed_bytes - trained_state_bytes(stats);
  loop_->start();
}

void AcpuRecording::batch(std::optional<std::uint64_t> examples) {
  device::mark([batches = loop_->batches()](TimePoint time) { batches->finish(time, 0); });
  loop_->batch_issued(examples, 0);
  if (!first_) {
    front_end_ = std::this_thread::get_id();
    busy_meter_->count_waits_of_this_thread();
  }
  has_several_front_ends_ |= front_end_ != std::this_thread::get_id();
  last_ = {Clock::now(), busy_meter_->waited_seconds()};
  if (!first_) first_ = last_;
}

void AcpuRecording::set_class(const std::string& name) {
  const auto found =
      std::ranges::find(kClasses, name, [](const auto& entry) { return entry.first; });
  RUNAHEAD_REQUIRE(found != kClasses.end(), "there is no class of tensors '" + name + "'");
  tensor_class_.reset();
  tensor_class_.emplace(found->second);
}

void AcpuRecording::end_issue() { loop_->end_issue(); }

void AcpuRecording::end_counting() {
  loop_->batches()->close();
  has_dropped_ = true;
}

void AcpuRecording::stop() {
  busy_seconds_ = busy_meter_->busy_seconds(Clock::now());
  loop_->stop();
  tensor_class_.reset();
}

void AcpuRecording::leave_device() noexcept {
  device::listen_for_peak_resets(nullptr);
  bool waits = !has_dropped_;     // Ctrl-C has ended the wait.
  while (observer_ != nullptr) {  // exchange() throws each error of a failed loop once.
    try {
      if (waits) {
        AcpuObservers::get().exchange(observer_.get(), nullptr);
      } else {
        AcpuObservers::get().leave(observer_.get());
      }
      observer_.reset();
    } catch (const engine::OperationError&) {
    } catch (...) {  // The device has finished, or the program has set an observer of its own.
      waits = false;
    }
  }
  AcpuObservers::get().end_recording();
}

/// The bytes that stay on the device: everything present at the start, parameters and optimiser
/// state.
std::uint64_t AcpuRecording::own_bytes() const {
  return claimed_bytes_at_start_ + trained_state_bytes(device::memory_stats());
}

void AcpuRecording::report(record::Record& record) {
  device::listen_for_peak_resets(nullptr);
  report_acpu(counted_);
  record.memory = counted_.memory;
  record.backlog = counted_.backlog;
  record.results.update(counted_.results);
  const auto limit = device::options().limit;
  const bool is_limited = record.device == kDevice && limit && limit->bytes;
  record.results["limit_bytes"] = is_limited ? Json(*limit->bytes) : Json(nullptr);
  const std::uint64_t batches = loop_->batches()->counts().issued;
  if (batches < 2) return;
  if (!has_several_front_ends_) {
    const double waited = last_.waited_seconds - first_->waited_seconds;
    const double issuing = seconds_between(first_->time, last_.time) - waited;
    record.time.t1_seconds = issuing / static_cast<double>(batches - 1);
  }
  if (has_dropped_) return;  // How many batches the device executed in that time is unknown.
  record.time.t2_seconds = busy_seconds_ / static_cast<double>(batches);
}

void AcpuRecording::write(recording::LoopEnd end) {
  end.own_bytes = own_bytes();
  if (end.device == kDevice) {  // The program may have trained elsewhere.
    end.workers = device::workers();
    end.executes_at_issue |= end.workers == 0;
  }
  loop_->write(end, [this](record::Record& record) {
    report(record);
    leave_device();
  });
}

}  // namespace runahead::train
