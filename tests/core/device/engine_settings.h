#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "core/device/device.h"

namespace runahead::device {

/// A way to run the device's operations, as the parameter of a test.
struct EngineSetting {
  friend void PrintTo(const EngineSetting& setting, std::ostream* out) { *out << setting.name; }

  std::string name;
  DeviceOptions options;
};

/// 1 and 2 workers with both ready orders.
inline std::vector<EngineSetting> threaded_engine_settings() {
  using engine::ReadyOrder;
  return {{"OneWorkerOldestFirst", {.workers = 1, .ready_order = ReadyOrder::kOldestFirst}},
          {"OneWorkerFirstReady", {.workers = 1, .ready_order = ReadyOrder::kFirstReady}},
          {"TwoWorkersOldestFirst", {.workers = 2, .ready_order = ReadyOrder::kOldestFirst}},
          {"TwoWorkersFirstReady", {.workers = 2, .ready_order = ReadyOrder::kFirstReady}}};
}

}  // namespace runahead::device
