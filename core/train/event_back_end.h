#pragma once

#include <c10/core/Event.h>

#include <deque>

#include "core/train/back_end.h"

namespace runahead::train {

/// A device with streams and events (`cuda`), used through LibTorch's generic classes, without CUDA
/// headers.
///
/// A mark is an event on the current stream. Its time comes from the device: `origin_` was recorded
/// and waited for when the back end was created, and elapsedTime gives the time since then.
/// Every mark and wait checks the pending marks, in order; as many are kept as batches are in
/// flight.
class EventBackEnd final : public BackEnd {
 public:
  /// Waits for the device once. @throws c10::Error if it has no streams and events.
  explicit EventBackEnd(torch::Device device);

  std::unique_ptr<Mark> mark(FinishedCallback on_finished) override;
  void wait_until_computed(const torch::Tensor& tensor) override;
  void synchronize() override;

 private:
  struct PendingMark {
    std::shared_ptr<c10::Event> event{};
    FinishedCallback on_finished{};
  };

  [[nodiscard]] std::shared_ptr<c10::Event> record_event() const;
  void report_finished();
  void report(const PendingMark& pending) const;

  torch::Device device_;
  std::shared_ptr<c10::Event> origin_;
  TimePoint origin_time_{};
  std::deque<PendingMark> pending_{};
};

}  // namespace runahead::train
