#pragma once

#include <functional>
#include <string>

#include "apps/runahead/bench_rounds.h"
#include "core/base/json.h"

namespace runahead::apps {

/// Measures in a process of its own, and returns what `runahead-cell bench-transfer` prints:
/// {"cpu_share": S, "sizes": [{"bytes": N, "copies": N, WAY: {"gb_per_second": X, "issue_us": X}}]}
/// with the WAYs pageable_blocking, pageable_non_blocking, pinned_blocking, pinned_non_blocking.
using TransferProcess = std::function<Json()>;

/// What `devices --json` says of `cuda`.
/// @throws UnavailableError if it is not there, with why.
[[nodiscard]] Json find_transfer_device(const Json& devices);

/// Copies from the host to a CUDA device, of 4 KiB to 256 MiB: from pageable and from pinned
/// memory, by calls that wait for the copy and by calls that do not.
///
/// @return {"sizes": [{"bytes", "copies" (measured together), and for each way `gb_per_second`
///         (10^9 bytes, until the last copy is done) and `issue_us` (until a call has returned),
///         and by rounds `pinned_over_pageable` (gb_per_second of the two ways that do not wait)
///         and `issue_over_blocking` (issue_us of pinned memory, not waiting over waiting)}]}, each
///         with _min and _max.
/// @throws what `measure` throws.
[[nodiscard]] Json bench_transfer(const TransferProcess& measure, const BenchOptions& options);

/// What bench_transfer returned, as tables.
[[nodiscard]] std::string transfer_bench_table(const Json& figures);

}  // namespace runahead::apps
