#pragma once

#include <functional>

namespace runahead::train {

/// Keeps a device busy, so that work issued meanwhile piles up: queues work on the current stream
/// that takes `seconds`. Work issued on that stream afterwards starts after it. Never blocks for
/// this work. @param seconds  Above 0. @throws UsageError otherwise.
using DeviceHold = std::function<void(double seconds)>;

}  // namespace runahead::train
