#include "core/train/recording.h"

#include <torch/version.h>
#include <unistd.h>

#include <exception>
#include <iostream>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/device/device.h"
#include "core/record/command_line.h"
#include "core/train/acpu_recording.h"
#include "core/train/back_end.h"
#include "core/train/failure.h"

namespace runahead {

/// A loop that is being recorded.
class Recording::Loop {
 public:
  virtual ~Loop() = default;
  virtual void batch(std::optional<std::uint64_t> examples, std::uint64_t kept_bytes) = 0;
  /// Waits for what is in flight. Stops the clock, whatever the wait throws.
  virtual void end() = 0;
  virtual void write(const recording::LoopEnd& end) = 0;
};

namespace {

recording::LoopOptions loop_options(std::filesystem::path folder, const RecordingOptions& options) {
  return {.folder = std::move(folder),
          .command = record::words_of_process("self"),
          .rate_hz = options.rate_hz,
          .traces = options.traces,
          .torch = TORCH_VERSION};
}

/// Calls `stop` after `wait`, even if that throws.
template <typename Wait, typename Stop>
void wait_then(const Wait& wait, const Stop& stop) {
  try {
    wait();
  } catch (...) {
    stop();
    throw;
  }
  stop();
}

}  // namespace

class Recording::AcpuLoop final : public Loop {
 public:
  explicit AcpuLoop(recording::LoopOptions options) : recording_(std::move(options)) {
    recording_.start();
  }

  void batch(std::optional<std::uint64_t> examples, std::uint64_t /*kept_bytes*/) override {
    recording_.batch(examples);
  }
  void end() override {
    recording_.end_issue();
    wait_then(device::synchronize, [this] { recording_.stop(); });
  }
  void write(const recording::LoopEnd& end) override { recording_.write(end); }

 private:
  train::AcpuRecording recording_;
};

/// A loop on `cpu`, or on a device with events.
class Recording::EventLoop final : public Loop {
 public:
  EventLoop(c10::Device device, recording::LoopOptions options)
      : back_end_(train::make_back_end(device)), recording_(std::move(options), {}) {
    back_end_->synchronize();
    recording_.start();
  }

  void batch(std::optional<std::uint64_t> examples, std::uint64_t kept_bytes) override {
    back_end_->mark([batches = recording_.batches(), kept_bytes](TimePoint time) {
      batches->finish(time, kept_bytes);
    });
    recording_.batch_issued(examples, kept_bytes);
  }
  void end() override {
    recording_.end_issue();
    wait_then([this] { back_end_->synchronize(); }, [this] { recording_.stop(); });
  }
  void write(const recording::LoopEnd& end) override {
    recording_.write(end, [](record::Record&) {});
  }

 private:
  std::unique_ptr<train::BackEnd> back_end_;
  recording::LoopRecording recording_;
};

Recording::Recording(c10::Device device, std::filesystem::path folder,
                     const RecordingOptions& options)
    : device_(device), process_id_(::getpid()), exceptions_at_start_(std::uncaught_exceptions()) {
  recording::LoopOptions read = loop_options(std::move(folder), options);
  if (device.is_privateuseone()) {
    loop_ = std::make_unique<AcpuLoop>(std::move(read));
  } else {
    loop_ = std::make_unique<EventLoop>(device, std::move(read));
  }
}

Recording::~Recording() {
  if (loop_ == nullptr || ::getpid() != process_id_) return;
  recording::LoopEnd end;
  if (std::uncaught_exceptions() > exceptions_at_start_) {
    end.status = record::Status::kFailed;
    end.error = "an exception left the loop";
  }
  try {
    if (const std::exception_ptr error = end_with(std::move(end))) std::rethrow_exception(error);
  } catch (const std::exception& error) {
    std::cerr << "runahead: " << error.what() << '\n';
  }
}

void Recording::batch(std::optional<std::uint64_t> examples, std::uint64_t kept_bytes) {
  RUNAHEAD_REQUIRE(loop_ != nullptr, "the recording has ended");
  loop_->batch(examples, kept_bytes);
}

void Recording::finish() {
  if (loop_ == nullptr) return;
  if (const std::exception_ptr error = end_with({})) std::rethrow_exception(error);
}

std::exception_ptr Recording::end_with(recording::LoopEnd end) {
  const std::unique_ptr<Loop> loop = std::move(loop_);
  std::exception_ptr error;
  try {
    loop->end();
  } catch (...) {
    error = std::current_exception();
    train::Failure failure = train::describe_failure(error);
    if (!end.error) end.error = std::move(failure.message);
    end.status = failure.status;
  }
  end.device = device_.is_privateuseone() ? "acpu" : device_.str();
  end.executes_at_issue = device_.is_cpu();
  loop->write(end);
  return error;
}

}  // namespace runahead
