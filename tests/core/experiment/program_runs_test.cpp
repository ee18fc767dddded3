// Whole runs of the tutorials' short programs, small, in this process: what their records hold.
// What they claim is a matter of measurement, not of these tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <sstream>
#include <string>

#include "core/config/experiment_kinds.h"
#include "core/device/device.h"
#include "core/experiment/small_run.h"

namespace runahead::experiment {
namespace {

/// The keys of `results.<kind>` that the kind documents: "a, b[].c" are a and b, "*.d" is within.
/// @param all  Also those that may be absent.
std::set<std::string> documented_keys(const std::string& kind, bool all) {
  std::set<std::string> keys;
  for (const config::ResultKey& key : config::kind_of(kind).results) {
    if (!all && key.doc.find("absent if") != std::string::npos) continue;
    std::istringstream names(key.name);
    for (std::string name; std::getline(names >> std::ws, name, ',');) {
      if (!key.name.starts_with('*')) keys.insert(name.substr(0, name.find_first_of(".[")));
    }
  }
  return keys;
}

class ProgramRuns : public SmallRunOnEach {
 protected:
  ProgramRuns() {
    config_.batches = 4;
    config_.log_every = 2;
    config_.program = {.size = 16,
                       .queue = {.operations = 5, .size = 8},
                       .products = 2,
                       .operations = {10, 20},
                       .fitted_operations = {5, 15},
                       .elements = {2, 64},
                       .increments = 10,
                       .branches = 3,
                       .branch_operations = 2,
                       .schedules = 3,
                       .print_every = 3,
                       .hold_seconds = 0.05,
                       .launches = 5,
                       .delay_percent = {0, 100},
                       .repeats = 2};
    factories_.device_hold = [](torch::Device) { return device::hold_workers; };
  }
};

TEST_P(ProgramRuns, TheRecordHasTheDocumentedResults) {
  for (const config::ExperimentKind& kind : config::experiment_kinds()) {
    if (kind.name == "launch_queue" && GetParam() == "cpu") continue;  // Nothing is queued there.
    if (kind.runs_command) continue;                                   // Not by this library.
    SCOPED_TRACE(kind.name);
    config_.experiment = kind.name;
    const Json results = run_well().results.value(kind.name, Json());
    std::set<std::string> keys;
    for (const auto& [key, value] : results.items()) keys.insert(key);

    EXPECT_THAT(documented_keys(kind.name, true), ::testing::IsSupersetOf(keys));
    EXPECT_THAT(keys, ::testing::IsSupersetOf(documented_keys(kind.name, false)));
  }
}

RUNAHEAD_RUN_ON_EACH_DEVICE(ProgramRuns);

}  // namespace
}  // namespace runahead::experiment
