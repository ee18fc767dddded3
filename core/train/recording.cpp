#include "core/train/recording.h"

#include <torch/version.h>
#include <unistd.h>

#include <iostream>
#include <utility>

#include "core/base/error.h"
#include "core/device/device.h"
#include "core/record/command_line.h"
#include "core/recording/loop_recording.h"
#include "core/train/acpu_recording.h"
#include "core/train/back_end.h"
#include "core/train/failure.h"

namespace runahead {

/// A loop that is being recorded.
class Recording::Loop {
 public:
  virtual ~Loop() = default;
  virtual void batch(std::optional<std::uint64_t> examples, std::uint64_t kept_bytes) = 0;
  /// Waits for what is in flight, and stops the clock. @return the error of an operation, if any.
  virtual std::exception_ptr end() = 0;
  virtual void write(const recording::LoopEnd& end) = 0;
};

namespace {

recording::LoopOptions loop_options(const std::filesystem::path& folder,
                                    const RecordingOptions& options) {
  return {
      .folder = std::filesystem::absolute(folder),  // The program may change its working folder.
      .command = record::words_of_process("self"),
      .rate_hz = options.rate_hz,
      .traces = options.traces,
      .torch = TORCH_VERSION};
}

template <typename Wait>
std::exception_ptr error_of(const Wait& wait) {
  try {
    wait();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

void print(const std::exception_ptr& error) {
  std::cerr << "runahead: " << train::describe_failure(error).message << '\n';
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
  std::exception_ptr end() override {
    recording_.end_issue();
    std::exception_ptr error = error_of(device::synchronize);
    recording_.stop();
    return error;
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
  std::exception_ptr end() override {
    recording_.end_issue();
    std::exception_ptr error = error_of([this] { back_end_->synchronize(); });
    recording_.stop();
    return error;
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
  recording::LoopOptions read = loop_options(folder, options);
  if (device.is_privateuseone()) {
    loop_ = std::make_unique<AcpuLoop>(std::move(read));
  } else {
    loop_ = std::make_unique<EventLoop>(device, std::move(read));
  }
}

Recording::~Recording() {
  if (has_ended()) return;
  try {
    const bool unwinds = std::uncaught_exceptions() > exceptions_at_start_;
    if (const std::exception_ptr error = end(nullptr, unwinds)) std::rethrow_exception(error);
  } catch (...) {
    print(std::current_exception());
  }
}

bool Recording::has_ended() const noexcept { return loop_ == nullptr || ::getpid() != process_id_; }

void Recording::batch(std::optional<std::int64_t> examples, std::uint64_t kept_bytes) {
  if (::getpid() != process_id_) return;
  RUNAHEAD_REQUIRE(loop_ != nullptr, "the recording has ended");
  RUNAHEAD_REQUIRE(!examples || *examples >= 0, "a batch has no negative number of examples");
  loop_->batch(examples, kept_bytes);
}

void Recording::finish() {
  if (has_ended()) return;
  if (const std::exception_ptr error = end(nullptr, false)) std::rethrow_exception(error);
}

void Recording::fail(const std::exception_ptr& error) noexcept {
  if (has_ended()) return;
  try {
    if (const std::exception_ptr of_device = end(error, false)) print(of_device);
  } catch (...) {
    print(std::current_exception());
  }
}

std::exception_ptr Recording::end(const std::exception_ptr& error, bool unwinds) {
  const std::unique_ptr<Loop> loop = std::move(loop_);
  const std::exception_ptr of_device = loop->end();
  recording::LoopEnd end{.device = device_.is_privateuseone() ? "acpu" : device_.str(),
                         .executes_at_issue = device_.is_cpu()};
  if (error || of_device) {
    train::Failure failure = train::describe_failure(error ? error : of_device);
    if (error && of_device) {
      failure.message += "; before that, " + train::describe_failure(of_device).message;
    }
    end.status = failure.status;
    end.error = std::move(failure.message);
  } else if (unwinds) {
    end.status = record::Status::kFailed;
    end.error = "an exception left the loop";
  }
  try {
    loop->write(end);
  } catch (...) {
    if (!of_device) throw;
    print(std::current_exception());
  }
  return of_device;
}

}  // namespace runahead
