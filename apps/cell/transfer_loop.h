#pragma once

#include <torch/types.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/train/back_end.h"

namespace runahead::cell {

/// One way of copying from the host to a device.
struct TransferWay {
  const char* name;  ///< Name in the figures.
  bool is_pinned;    ///< Whether it copies from page-locked memory.
  bool is_blocking;  ///< Whether each call returns only when its copy is done.
};

inline constexpr std::array<TransferWay, 4> kTransferWays{{{"pageable_blocking", false, true},
                                                           {"pageable_non_blocking", false, false},
                                                           {"pinned_blocking", true, true},
                                                           {"pinned_non_blocking", true, false}}};

/// Sizes of a copy in bytes: 4 KiB to 256 MiB, each four times the previous one.
inline constexpr std::array<std::int64_t, 9> kTransferSizes{
    std::int64_t{4} << 10,   std::int64_t{16} << 10, std::int64_t{64} << 10,
    std::int64_t{256} << 10, std::int64_t{1} << 20,  std::int64_t{4} << 20,
    std::int64_t{16} << 20,  std::int64_t{64} << 20, std::int64_t{256} << 20};

/// The number of copies of `bytes` bytes that are measured together: 256 MiB in total, but at least
/// 4 and at most 256, which fit the queue of a device without blocking.
[[nodiscard]] constexpr std::int64_t copies_of(std::int64_t bytes) {
  return std::clamp((std::int64_t{256} << 20) / bytes, std::int64_t{4}, std::int64_t{256});
}

struct TransferFigures {
  double gb_per_second = 0.0;  ///< 10^9 bytes/s, from the first call until all are copied.
  double issue_us = 0.0;       ///< Time of a call in µs.
  /// CPU time over wall time of the calling thread during the calls.
  double front_end_cpu_share = 0.0;
};

/// Copies `source` to `target`, which has the same size, `copies` times after one warm-up copy.
/// Blocks until everything is copied; nothing else may be in flight.
[[nodiscard]] TransferFigures measure_transfers(const torch::Tensor& source,
                                                const torch::Tensor& target, std::int64_t copies,
                                                bool is_blocking, train::BackEnd& back_end);

}  // namespace runahead::cell
