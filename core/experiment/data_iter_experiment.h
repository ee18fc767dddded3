#pragma once

#include <memory>
#include <vector>

#include "core/experiment/timed_program.h"
#include "core/train/batch_source.h"

namespace runahead::experiment {

/// `data_iter`: the chapter's generator alone: `batches` batches that nobody uses, once without a
/// wait until the end, once waiting for each batch's inputs; the time is taken every `print_every`,
/// and printed to the context's sink in the first repeat.
class DataIterExperiment final : public TimedProgram {
 public:
  /// @throws ConfigError if no factory has the config's data.
  explicit DataIterExperiment(const ExperimentContext& context);

 protected:
  void set_up() override;
  void run_once(Repeat& repeat) override;
  void forget_warmup() override;

 private:
  struct Times {
    std::vector<double> elapsed_seconds{};  ///< After each of print_batches().
    double made_seconds = 0.0;              ///< Until the last batch existed.
    double total_seconds = 0.0;             ///< Until all were computed.
  };

  void tell(std::int64_t batches, bool waits, double seconds) const;
  [[nodiscard]] Times consume(bool waits);
  [[nodiscard]] std::vector<std::int64_t> print_batches() const;

  std::unique_ptr<train::BatchSource> source_{};
  bool prints_ = false;  ///< In the first repeat after the warm-up.
};

}  // namespace runahead::experiment
