#include "core/config/runnable.h"

#include "core/base/json_reader.h"

namespace runahead::config {
namespace {

/// A buffer is rewritten once a later batch is requested: see train::ReuseCopies.
void check_reuse(const ExperimentConfig& config, JsonProblems& problems) {
  const std::int64_t most = config.cuda.buffers - 2;
  if (config.cuda.copies != Copies::kSideReuse || config.data.prefetch <= most) return;
  problems.add("/data/prefetch",
               "found " + std::to_string(config.data.prefetch) + "; allowed: at most " +
                   std::to_string(most) + ", because /cuda/copies is \"side_reuse\" and " +
                   "/cuda/buffers is " + std::to_string(config.cuda.buffers) +
                   "; lower it, set /cuda/buffers to " + std::to_string(config.data.prefetch + 2) +
                   " or more, or choose another /cuda/copies");
}

}  // namespace

void require_runnable(const ExperimentConfig& config, const std::string& source) {
  JsonProblems problems(source);
  if (config.device.starts_with("cuda")) check_reuse(config, problems);
  problems.throw_if_any();
}

}  // namespace runahead::config
