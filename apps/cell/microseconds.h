#pragma once

namespace runahead::cell {

inline constexpr double kMicrosecondsPerSecond = 1e6;

}  // namespace runahead::cell
