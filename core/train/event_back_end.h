#pragma once

#include <deque>
#include <memory>

#include "core/train/back_end.h"
#include "core/train/device_event.h"

namespace runahead::train {

/// A device with streams and events (`cuda`), used through LibTorch's generic classes, without CUDA
/// headers.
///
/// A mark is an event on the current stream. Its time comes from the device: an event was recorded
/// and waited for when the back end was created, and the device gives the times from one event to
/// the next, as floats, which since then would be coarse after hours. Every mark and wait checks
/// the pending marks, in order; as many are kept as batches are in flight.
class EventBackEnd final : public BackEnd {
 public:
  /// Waits for the device once: if `device` has no index, for the current one. @throws c10::Error
  /// if it has no streams and events.
  explicit EventBackEnd(torch::Device device);

  std::unique_ptr<Mark> mark(FinishedCallback on_finished) override;
  void wait_until_computed(const torch::Tensor& tensor) override;
  void synchronize() override;

 private:
  struct PendingMark {
    std::shared_ptr<DeviceEvent> event{};
    FinishedCallback on_finished{};
  };

  [[nodiscard]] std::shared_ptr<DeviceEvent> record_event() const;
  void report_finished();
  void report(const PendingMark& pending);

  torch::Device device_;
  std::shared_ptr<DeviceEvent> origin_;  ///< The last one reported, at first the constructor's.
  TimePoint origin_time_{};
  std::deque<PendingMark> pending_{};
};

}  // namespace runahead::train
