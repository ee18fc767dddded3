#include "core/engine/engine.h"

#include <string>

#include "core/engine/naive_engine.h"
#include "core/engine/threaded_engine.h"

namespace runahead::engine {
namespace {

constexpr int kMostWorkers = 256;

}  // namespace

std::unique_ptr<Engine> make_engine(const EngineOptions& options) {
  RUNAHEAD_REQUIRE(options.workers >= 0 && options.workers <= kMostWorkers,
                   std::to_string(options.workers) + " workers: allowed are 0 to " +
                       std::to_string(kMostWorkers));
  if (options.workers == 0) return std::make_unique<NaiveEngine>(options);
  return std::make_unique<ThreadedEngine>(options);
}

}  // namespace runahead::engine
