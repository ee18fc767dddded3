#include "core/train/acpu_report.h"

#include <algorithm>

#include "core/device/device.h"

namespace runahead::train {
namespace {

void raise(std::optional<std::uint64_t>& peak, std::uint64_t counted) {
  peak = std::max(peak.value_or(0), counted);
}

}  // namespace

void report_acpu_peaks(record::Record& record) {
  const device::MemoryStats memory = device::memory_stats();
  raise(record.memory.live_peak_bytes, memory.live_peak_bytes);
  raise(record.memory.reserved_peak_bytes, memory.reserved_peak_bytes);
  raise(record.memory.promised_peak_bytes, memory.promised_peak_bytes);
  raise(record.memory.held_peak_bytes, memory.held_peak_bytes);
  raise(record.memory.committed_peak_bytes, memory.committed_peak_bytes);
  const std::uint64_t occupied = record.results.value("occupied_peak_bytes", std::uint64_t{0});
  record.results["occupied_peak_bytes"] = std::max(occupied, memory.occupied_peak_bytes);
  raise(record.backlog.operations_peak, device::backlog().operations_peak);
  raise(record.backlog.bytes_peak, memory.claimed_peak_bytes);
}

void report_acpu(record::Record& record) {
  report_acpu_peaks(record);
  auto& blocking = record.backlog.blocking_operators;
  if (!blocking) blocking.emplace();
  for (const auto& [name, calls] : device::blocking_operators()) (*blocking)[name] += calls;
}

}  // namespace runahead::train
