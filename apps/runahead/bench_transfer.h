#pragma once

#include <functional>
#include <string>

#include "apps/runahead/bench_rounds.h"
#include "core/base/json.h"

namespace runahead::apps {

/// Measures in a separate process, and returns what `runahead-cell bench-transfer` prints:
/// {"cpu_share": S, "sizes": [{"bytes": N, "copies": N, WAY: {"gb_per_second": X, "issue_us": X}}]}
/// with the WAYs pageable_blocking, pageable_non_blocking, pinned_blocking, pinned_non_blocking.
using TransferProcess = std::function<Json()>;

/// The entry `cuda` in the output of `devices --json`.
/// @throws UnavailableError with the reason if the device is not available.
[[nodiscard]] Json find_transfer_device(const Json& devices);

/// Measures copies of 4 KiB to 256 MiB from the host to a CUDA device: from pageable and from
/// pinned memory, with calls that wait for the copy and with calls that do not.
///
/// @return {"sizes": [{"bytes", "copies" (measured together), and for each way `gb_per_second`
///         (10^9 bytes, until the last copy is done) and `issue_us` (until a call has returned),
///         and within rounds `pinned_over_pageable` (gb_per_second of the two ways that don't wait)
///         and `issue_over_blocking` (issue_us of pinned memory, not waiting over waiting)}]}, each
///         with _min and _max.
/// @throws what `measure` throws.
[[nodiscard]] Json bench_transfer(const TransferProcess& measure, const BenchOptions& options);

/// The result of bench_transfer, as tables.
[[nodiscard]] std::string transfer_bench_table(const Json& figures);

}  // namespace runahead::apps
