#pragma once

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "core/device/device_fixture.h"

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

/// Every allocation model with 1 to 4 workers and both ready orders.
inline std::vector<EngineSetting> allocation_settings() {
  std::vector<EngineSetting> settings;
  for (const auto allocation : {Allocation::kAtIssue, Allocation::kInStreamOrder,
                                Allocation::kCaching, Allocation::kAtExecution}) {
    for (int workers = 1; workers <= 4; ++workers) {
      for (const auto& [order, ready_order] :
           {std::pair("OldestFirst", engine::ReadyOrder::kOldestFirst),
            std::pair("FirstReady", engine::ReadyOrder::kFirstReady)}) {
        settings.push_back(
            {allocation_name(allocation) + std::to_string(workers) + order,
             {.workers = workers, .ready_order = ready_order, .allocation = allocation}});
      }
    }
  }
  return settings;
}

}  // namespace runahead::device
