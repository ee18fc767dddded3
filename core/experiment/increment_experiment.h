#pragma once

#include "core/experiment/increment_series.h"
#include "core/experiment/timed_program.h"

namespace runahead::experiment {

/// `increment`: y = x + 1 of ones of `shape`, waiting after each and once at the end, for each of
/// `operations`: all of the same x, and chained. Measured against n(t1+t2+t3) and t1+n·t2+t3, or
/// n·t1+t2+t3 where t2 < t1, with t1, t2 and t3 fitted to runs of `fitted_operations`.
/// `seconds_per_increment` is added to t1.
class IncrementExperiment final : public TimedProgram {
 public:
  explicit IncrementExperiment(const ExperimentContext& context);

 protected:
  void set_up() override;
  void run_once(Repeat& repeat) override;
  void forget_warmup() override;
  void add_results(Json& results) const override;

 private:
  torch::Tensor x_{};
  IncrementSeries independent_;
  IncrementSeries chained_;
};

}  // namespace runahead::experiment
