#include "core/experiment/data_iter_experiment.h"

#include <ostream>

#include "core/experiment/find_factory.h"
#include "core/experiment/stopwatch.h"

namespace runahead::experiment {

DataIterExperiment::DataIterExperiment(const ExperimentContext& context) : TimedProgram(context) {
  static_cast<void>(
      find_factory(context.factories.sources, context.config.data.kind, "/data/kind"));
}

void DataIterExperiment::set_up() {
  const config::ExperimentConfig& config = context().config;
  source_ = find_factory(context().factories.sources, config.data.kind, "/data/kind")(
      config, device(), context().factories.staging(config, device()));
}

void DataIterExperiment::run_once(Repeat& repeat) {
  const Times without = consume(/*waits=*/false);
  const Times with = consume(/*waits=*/true);
  prints_ = false;
  repeat.measure("without_wait_made_seconds", without.made_seconds);
  repeat.measure("without_wait_total_seconds", without.total_seconds);
  repeat.measure("with_wait_made_seconds", with.made_seconds);
  repeat.measure("with_wait_total_seconds", with.total_seconds);
  repeat.keep("batches", print_batches());
  repeat.keep("without_wait_elapsed_seconds", without.elapsed_seconds);
  repeat.keep("with_wait_elapsed_seconds", with.elapsed_seconds);
}

void DataIterExperiment::forget_warmup() { prints_ = true; }

DataIterExperiment::Times DataIterExperiment::consume(bool waits) {
  const std::int64_t print_every = program().print_every;
  Times times;
  const Stopwatch watch;
  for (std::int64_t i = 1; i <= context().config.batches; ++i) {
    const train::Batch batch = source_->next();
    if (waits) back_end().wait_until_computed(batch.inputs);
    if (i % print_every != 0) continue;
    times.elapsed_seconds.push_back(watch.seconds());
    if (prints_) tell(i, waits, times.elapsed_seconds.back());
  }
  times.made_seconds = watch.seconds();
  back_end().synchronize();
  times.total_seconds = watch.seconds();
  return times;
}

/// The chapter's line.
void DataIterExperiment::tell(std::int64_t batches, bool waits, double seconds) const {
  context().sink << "batch " << batches << (waits ? ", waiting for each" : "") << ", time "
                 << seconds << " sec" << std::endl;
}

std::vector<std::int64_t> DataIterExperiment::print_batches() const {
  const std::int64_t every = program().print_every;
  std::vector<std::int64_t> batches;
  for (std::int64_t i = every; i <= context().config.batches; i += every) batches.push_back(i);
  return batches;
}

}  // namespace runahead::experiment
