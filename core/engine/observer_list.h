#pragma once

#include <utility>
#include <vector>

#include "core/engine/observer.h"

namespace runahead::engine {

/// Forwards every event to several observers, in list order.
class ObserverList final : public Observer {
 public:
  /// No observer may be null; all must outlive the list.
  explicit ObserverList(std::vector<Observer*> observers) : observers_(std::move(observers)) {}

  void on_push(const OperationEvent& event) noexcept override {
    for (Observer* const observer : observers_) observer->on_push(event);
  }
  void on_ready(const OperationEvent& event) noexcept override {
    for (Observer* const observer : observers_) observer->on_ready(event);
  }
  void on_start(const OperationEvent& event) noexcept override {
    for (Observer* const observer : observers_) observer->on_start(event);
  }
  void on_finish(const OperationEvent& event) noexcept override {
    for (Observer* const observer : observers_) observer->on_finish(event);
  }
  void on_wait_begin(const WaitEvent& event) noexcept override {
    for (Observer* const observer : observers_) observer->on_wait_begin(event);
  }
  void on_wait_end(const WaitEvent& event) noexcept override {
    for (Observer* const observer : observers_) observer->on_wait_end(event);
  }

 private:
  std::vector<Observer*> observers_;
};

}  // namespace runahead::engine
