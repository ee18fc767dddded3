#include "core/device/run_ahead_guard.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/memory/cgroup.h"

namespace runahead::device {
namespace {

constexpr std::array<const char*, kTensorClasses> kClassNames{
    "other tensors", "parameters", "gradients", "optimizer state", "activations", "inputs"};

std::uint64_t share_of(double share, std::uint64_t bytes) {
  return static_cast<std::uint64_t>(share * static_cast<double>(bytes));
}

// The largest holders of memory, largest first: "; most is held by inputs (1.2 GB), activations (3
// MB)". @param admitted_bytes  The part of the promised bytes that is only being admitted.
std::string largest_holders(const MemoryStats& stats, std::uint64_t admitted_bytes) {
  constexpr std::size_t kMostNamed = 3;
  std::vector<std::pair<std::uint64_t, std::string>> holders{
      {stats.promised_bytes - std::min(admitted_bytes, stats.promised_bytes),
       "results not computed yet"}};
  for (std::size_t i = 0; i < kTensorClasses; ++i) {
    holders.emplace_back(stats.class_bytes[i], kClassNames[i]);
  }
  std::sort(holders.rbegin(), holders.rend());
  std::string text;
  for (std::size_t i = 0; i < kMostNamed && holders[i].first > 0; ++i) {
    text += (text.empty() ? "" : ", ") + holders[i].second + " (" + format_bytes(holders[i].first) +
            ')';
  }
  return text.empty() ? "" : "; most is held by " + text;
}

}  // namespace

engine::RunAheadLimit guard_limit(std::optional<std::uint64_t> memory_limit_bytes) {
  std::optional<std::uint64_t> available = memory::available_memory_bytes();
  if (memory_limit_bytes) {
    available = std::min(available.value_or(*memory_limit_bytes), *memory_limit_bytes);
  }
  if (!available) return {.operations = kMostGuardOperations};
  const std::uint64_t bytes = std::max<std::uint64_t>(1, share_of(kGuardShare, *available));
  return {.operations = std::clamp(bytes / kGuardBytesPerOperation, kLeastGuardOperations,
                                   kMostGuardOperations),
          .bytes = bytes,
          .notice_bytes = share_of(kGuardNoticeShare, bytes)};
}

std::string limit_notice_text(const engine::LimitNotice& notice, const MemoryStats& stats,
                              const std::string& where) {
  const std::string limit = format_bytes(notice.limit_bytes);
  const std::string place = where.empty() ? "" : where + ": ";
  if (notice.kind == engine::LimitNotice::Kind::kLargeBacklog) {
    return "acpu: " + place + "the backlog has grown to " + format_bytes(notice.backlog_bytes) +
           " in " + std::to_string(notice.operations) +
           " operations in flight, and issuing waits once " + limit + " are committed" +
           largest_holders(stats, 0) +
           ". Wait once per batch or set a smaller limit to need less memory";
  }
  if (notice.cost_bytes > notice.limit_bytes) {
    return "acpu: " + place + "one allocation of " + format_bytes(notice.cost_bytes) +
           " is larger than the run-ahead limit of " + limit +
           ", and is made while nothing else is in flight. Raise the limit if such are frequent";
  }
  const bool own_tensors_hold_it = notice.committed_bytes > notice.cost_bytes;
  return "acpu: " + place + "a further " + format_bytes(notice.cost_bytes) + " on top of " +
         format_bytes(notice.committed_bytes) + " exceeds the run-ahead limit of " + limit +
         " and was admitted all the same, because nothing is in flight that could free memory" +
         (own_tensors_hold_it ? ": the program's own tensors hold it" : "") +
         largest_holders(stats, notice.cost_bytes) +
         ". Drop tensors that are not needed, or raise the limit; until then the program does not "
         "run ahead";
}

}  // namespace runahead::device
