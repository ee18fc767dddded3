#include <memory>
#include <ostream>
#include <vector>

#include "core/experiment/factories.h"
#include "core/experiment/stopwatch.h"
#include "core/experiment/timed_program.h"
#include "core/train/batch_source.h"

namespace runahead::experiment {
namespace {

/// `data_iter`: runs only the chapter's generator: `batches` batches that nothing uses, once
/// without a wait until the end, and once waiting for each batch's inputs. The time is taken after
/// every `print_every` batches, and printed to the context's sink in the first repeat.
class DataIterExperiment final : public TimedProgram {
 public:
  /// @throws ConfigError if no factory has the config's data.
  explicit DataIterExperiment(const ExperimentContext& context) : TimedProgram(context) {
    static_cast<void>(
        find_factory(context.factories.sources, context.config.data.kind, "/data/kind"));
  }

 protected:
  void set_up() override { source_ = context().make_source(context().config); }

  void run_once(Repeat& repeat) override {
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

  void forget_warmup() override { prints_ = true; }

 private:
  struct Times {
    std::vector<double> elapsed_seconds{};  ///< After each of print_batches().
    double made_seconds = 0.0;              ///< Until the last batch existed.
    double total_seconds = 0.0;             ///< Until all were computed.
  };

  /// Prints the chapter's line.
  void print(std::int64_t batches, bool waits, double seconds) const {
    context().sink << "batch " << batches << (waits ? ", waiting for each" : "") << ", time "
                   << seconds << " sec" << std::endl;
  }

  [[nodiscard]] Times consume(bool waits) {
    const std::int64_t print_every = program().print_every;
    Times times;
    const Stopwatch watch;
    for (std::int64_t i = 1; i <= context().config.batches; ++i) {
      const train::Batch batch = source_->next();
      if (waits) back_end().wait_until_computed(batch.inputs);
      if (i % print_every != 0) continue;
      times.elapsed_seconds.push_back(watch.seconds());
      if (prints_) print(i, waits, times.elapsed_seconds.back());
    }
    times.made_seconds = watch.seconds();
    back_end().synchronize();
    times.total_seconds = watch.seconds();
    return times;
  }

  [[nodiscard]] std::vector<std::int64_t> print_batches() const {
    const std::int64_t every = program().print_every;
    std::vector<std::int64_t> batches;
    for (std::int64_t i = every; i <= context().config.batches; i += every) batches.push_back(i);
    return batches;
  }

  std::unique_ptr<train::BatchSource> source_{};
  bool prints_ = false;  ///< In the first repeat after the warm-up.
};

}  // namespace

std::unique_ptr<Experiment> make_data_iter(const ExperimentContext& context) {
  return std::make_unique<DataIterExperiment>(context);
}

}  // namespace runahead::experiment
