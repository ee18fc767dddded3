#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/device/device.h"

namespace runahead::device {

/// Share of the available memory that the guard lets programs commit.
inline constexpr double kGuardShare = 0.5;
/// Share of the guard's limit beyond which it warns of the backlog, once.
inline constexpr double kGuardNoticeShare = 0.5;
/// An operation in flight itself takes a few hundred bytes, whatever it allocates: the guard also
/// admits at most one operation per this many bytes, within the two bounds below.
inline constexpr std::uint64_t kGuardBytesPerOperation = 16384;
inline constexpr std::uint64_t kLeastGuardOperations = 1024;
inline constexpr std::uint64_t kMostGuardOperations = std::uint64_t{1} << 20;

/// The limit that applies unless another is set: kGuardShare of the memory that the process may
/// still take now (as cgroups and the machine allow), or of `memory_limit_bytes`, what the whole
/// process may take, if that is known and less. Without a bound on bytes if neither is known.
[[nodiscard]] engine::RunAheadLimit guard_limit(
    std::optional<std::uint64_t> memory_limit_bytes = std::nullopt);

/// The text of a notice: what was found, what holds the memory, what to do. @param where  Where in
/// the program, such as "in batch 7"; may be empty. @param stats  As of the notice.
[[nodiscard]] std::string limit_notice_text(const engine::LimitNotice& notice,
                                            const MemoryStats& stats, const std::string& where);

}  // namespace runahead::device
