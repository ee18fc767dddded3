#pragma once

#include <memory>
#include <vector>

#include "core/experiment/increment_series.h"
#include "core/experiment/timed_program.h"

namespace runahead::experiment {

/// `exercise`: the chapter's two questions, by y = x + 1 with x of each of `elements`.
///
/// "On the CPU, can you still observe asynchrony through the back end?" Yes where issuing takes
/// less than half of the total. "Why must 1000·t2 > 999·t1 be assumed?" t2 grows with x, t1 does
/// not: where t2/t1 passes 1, t1+n·t2+t3 becomes the formula that fits. `seconds_per_increment`
/// makes t1 large enough that it begins below 1.
class ExerciseExperiment final : public TimedProgram {
 public:
  explicit ExerciseExperiment(const ExperimentContext& context);

 protected:
  void set_up() override;
  void run_once(Repeat& repeat) override;
  void forget_warmup() override;
  void add_results(Json& results) const override;

 private:
  struct Size {
    std::int64_t elements = 0;
    torch::Tensor x{};
    std::unique_ptr<IncrementSeries> series{};
  };

  std::vector<Size> sizes_{};
};

}  // namespace runahead::experiment
