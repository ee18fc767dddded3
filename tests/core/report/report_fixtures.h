#pragma once

#include <string>
#include <vector>

#include "core/report/run.h"

/// Made-up records, as runs and sweeps leave them.
namespace runahead::report {

// In a test's body, Run is a member of the test.
using OneRun = Run;
using Runs = std::vector<Run>;

}  // namespace runahead::report

namespace runahead::report::test {

/// A run that trained without a wait on acpu.
inline Json some_record() {
  return Json::parse(R"({
    "schema_version": 1, "id": "f", "repeat": 0, "status": "ok", "error": null,
    "experiment": "train", "device": "acpu", "axes": {},
    "config": {"experiment": "train", "device": "acpu", "batches": 100,
      "model": {"kind": "mlp", "layers": [2048, 512, 1]},
      "data": {"features": 512, "batch_size": 1024, "made": "on_host"},
      "sync": {"policy": "none"},
      "acpu": {"workers": 1, "ready_order": "oldest_first", "limit": "off"}},
    "environment": {"runahead": "0.1.0", "git": "abc"},
    "time": {"issue_seconds": 0.26, "total_seconds": 12.2, "t1_seconds": 0.0026, "t2_seconds": 0.12,
      "t3_seconds": 1e-7, "predicted_total_seconds": 12.0, "batch_finished_seconds": [1, 2]},
    "memory": {"rss_growth_bytes": 215000000, "held_peak_bytes": 203821056},
    "backlog": {"batches_peak": 97, "bytes_peak": 5100000000, "predicted_bytes_peak": 5000000000,
      "blocking_operators": {"aten::nonzero": 1200}},
    "loss": {"first": 0.5, "last": 0.00419},
    "results": {"cost_model": {"fitted_batches": 20, "bottleneck": "back_end", "predictions": {
      "none": {"total_seconds": 12.0, "backlog_bytes": 5000000000}}}}})");
}

/// A cell of a sweep over sync policies.
inline Json cell_record(const std::string& id, const std::string& policy, int repeat = 0) {
  Json record = some_record();
  record["id"] = id;
  record["repeat"] = repeat;
  record["axes"] = {{"/sync/policy", policy}};
  record["config"]["sync"] = {{"policy", policy}, {"wait", "loss_value"}};
  return record;
}

/// The repeats of a cell, which took so many seconds.
inline std::vector<Run> repeats(const std::string& id, const std::string& policy,
                                const std::vector<double>& total_seconds) {
  std::vector<Run> runs;
  for (std::size_t repeat = 0; repeat < total_seconds.size(); ++repeat) {
    Json record = cell_record(id, policy, static_cast<int>(repeat));
    record["time"]["total_seconds"] = total_seconds[repeat];
    runs.push_back({.record = record, .line = repeat + 1});
  }
  return runs;
}

/// The runs of several cells, one after the other.
inline std::vector<Run> joined(std::vector<Run> runs, const std::vector<Run>& more) {
  runs.insert(runs.end(), more.begin(), more.end());
  return runs;
}

}  // namespace runahead::report::test
