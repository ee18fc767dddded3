#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/memory/probe.h"

namespace runahead::memory {

/// Returns freed memory that the C library keeps to the system, as far as possible. Call it between
/// phases, when no other thread allocates much: takes milliseconds per GB kept.
void trim_heap() noexcept;

/// Fixes the C library's M_MMAP_THRESHOLD and M_TRIM_THRESHOLD (by default, glibc raises both as
/// large blocks are freed, and RSS no longer falls). With 64 KiB, freed tensors leave RSS
/// immediately and peaks repeat from run to run; allocation is about 10 % slower. Call it first in
/// a process.
/// @return What was set, for the record: "glibc 2.36, M_MMAP_THRESHOLD 65536, M_TRIM_THRESHOLD
/// 65536";
///         with "refused" in place of a value that was not accepted; "sanitizer" or "not glibc" if
///         malloc is not glibc's and nothing was set.
std::string configure_malloc(std::size_t threshold_bytes);

/// What the C library reports about its heap, over all arenas and without individually mapped
/// blocks: `heap_in_use_bytes`, allocated; `heap_free_bytes`, freed and not returned to the system,
/// resident or not. Null if malloc is not glibc's. Locks each arena and walks its free chunks: use
/// it in a SlowLane.
[[nodiscard]] std::unique_ptr<Probe> make_heap_probe();

}  // namespace runahead::memory
