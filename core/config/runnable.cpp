#include "core/config/runnable.h"

#include "core/base/json_reader.h"

namespace runahead::config {
namespace {

constexpr const char* kLater = "which this version cannot run yet; allowed: ";

void check_cuda(const ExperimentConfig& config, JsonProblems& problems) {
  if (config.sync.policy == SyncPolicyKind::kAdaptive) {
    problems.add("/sync/policy",
                 "found \"adaptive\", which chooses how many operations may be in flight, as only "
                 "device acpu can bound; allowed: another policy (\"window\"), or device acpu");
  }
  if (config.cuda.staging != "pageable") {
    problems.add("/cuda/staging",
                 "found \"" + config.cuda.staging + "\", " + kLater + "\"pageable\"");
  }
  if (config.cuda.allocator != "native") {
    problems.add("/cuda/allocator",
                 "found \"" + config.cuda.allocator + "\", " + kLater + "\"native\"");
  }
  if (config.cuda.expandable_segments) {
    problems.add("/cuda/expandable_segments", std::string("found true, ") + kLater + "false");
  }
}

}  // namespace

void require_runnable(const ExperimentConfig& config, const std::string& source) {
  JsonProblems problems(source);
  if (config.device.starts_with("cuda")) check_cuda(config, problems);
  problems.throw_if_any();
}

}  // namespace runahead::config
