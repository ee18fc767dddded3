#pragma once

#include <memory>
#include <vector>

#include "core/experiment/timed_program.h"
#include "core/train/batch_source.h"

namespace runahead::experiment {

/// `data_iter`: the chapter's generator alone: `batches` batches that nobody uses, once without a
/// wait until the end, once waiting for each batch's inputs; the time is taken every `print_every`.
class DataIterExperiment final : public TimedProgram {
 public:
  /// @throws ConfigError if no factory has the config's data.
  explicit DataIterExperiment(const ExperimentContext& context);

 protected:
  void set_up() override;
  void run_once(Repeat& repeat) override;

 private:
  struct Times {
    std::vector<double> elapsed_seconds{};  ///< After each of print_batches().
    double made_seconds = 0.0;              ///< Until the last batch existed.
    double total_seconds = 0.0;             ///< Until all were computed.
  };

  [[nodiscard]] Times consume(bool waits);
  [[nodiscard]] std::vector<std::int64_t> print_batches() const;

  std::unique_ptr<train::BatchSource> source_{};
};

}  // namespace runahead::experiment
