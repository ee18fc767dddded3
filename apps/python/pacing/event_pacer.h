#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>

#include "core/config/sync_config.h"
#include "core/train/policies/adaptive_window.h"
#include "core/train/policies/mark.h"
#include "core/train/policies/sync_policy.h"

namespace runahead::python {

/// runahead::Pacer for a device whose events come from Python's torch. Needs the interpreter lock;
/// the waits are Python's, which release it.
class EventPacer {
 public:
  /// @param record_event  Called without arguments: returns a recorded torch.Event.
  /// @param wait  Called with the config's name of what to wait for, and the loss, which may be
  /// None.
  /// @param warn  Called with a notice for the user.
  EventPacer(const config::SyncConfig& sync, const pybind11::object& record_event,
             const pybind11::object& wait, const pybind11::object& warn);
  ~EventPacer();
  EventPacer(const EventPacer&) = delete;
  EventPacer& operator=(const EventPacer&) = delete;

  /// As runahead::Pacer::after_batch(). @throws what the callables raise.
  void after_batch(const pybind11::object& loss, std::uint64_t kept_bytes);

 private:
  std::unique_ptr<train::MarkSource> marks_;
  train::AdaptiveWindow window_{};
  pybind11::object loss_;  ///< Loss of the batch that is waited for.
  std::unique_ptr<train::Waiter> waiter_;
};

}  // namespace runahead::python
