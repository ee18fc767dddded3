#include "core/train/acpu_report.h"

#include "core/device/device.h"

namespace runahead::train {

void report_acpu(record::Record& record) {
  const device::MemoryStats memory = device::memory_stats();
  record.memory.live_peak_bytes = memory.live_peak_bytes;
  record.memory.reserved_peak_bytes = memory.reserved_peak_bytes;
  record.memory.promised_peak_bytes = memory.promised_peak_bytes;
  record.memory.held_peak_bytes = memory.held_peak_bytes;
  record.memory.committed_peak_bytes = memory.committed_peak_bytes;
  record.results["occupied_peak_bytes"] = memory.occupied_peak_bytes;
  record.backlog.operations_peak = device::backlog().operations_peak;
  record.backlog.bytes_peak = memory.claimed_peak_bytes;
  record.backlog.blocking_operators = device::blocking_operators();
}

}  // namespace runahead::train
