#include "core/experiment/timed_program.h"

#include <ATen/Context.h>

namespace runahead::experiment {

void TimedProgram::prepare(std::stop_token stop) {
  at::manual_seed(context_.config.seed);
  set_up();
  for (std::int64_t i = 0; i < program().warmup_repeats && !stop.stop_requested(); ++i) {
    back_end().synchronize();
    Repeat warmup;
    run_once(warmup);
  }
}

void TimedProgram::issue(std::stop_token stop) {
  forget_warmup();
  for (std::int64_t i = 0; i < repeats() && !stop.stop_requested(); ++i) {
    back_end().synchronize();
    Repeat repeat;
    run_once(repeat);
    const std::lock_guard lock(mutex_);
    figures_.add(repeat);
  }
}

void TimedProgram::report(record::Record& record, TimePoint /*started*/) const {
  Json& results = record.results[context_.config.experiment];
  {
    const std::lock_guard lock(mutex_);
    results = figures_.to_json();
  }
  add_results(results);
}

}  // namespace runahead::experiment
