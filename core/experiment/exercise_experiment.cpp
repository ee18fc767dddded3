#include <ATen/ops/ones.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/base/statistics.h"
#include "core/experiment/increment_timing.h"
#include "core/experiment/timed_program.h"

namespace runahead::experiment {
namespace {

/// Issuing has run ahead if it took less than this share of the total time.
constexpr double kObservedShare = 0.5;

bool ran_ahead(const std::vector<IncrementRun>& runs) {
  return median(times_of(runs, &IncrementRun::issue_seconds)) <
         kObservedShare * median(times_of(runs, &IncrementRun::waited_once_seconds));
}

/// Whose formula is nearer to the shortest time without waits: "back_end" or "front_end".
const char* fitting_formula(const train::BatchCost& cost, const std::vector<IncrementRun>& runs) {
  const auto n = static_cast<double>(runs.front().operations);
  double measured = runs.front().waited_once_seconds;
  for (const IncrementRun& run : runs) measured = std::min(measured, run.waited_once_seconds);
  const double by_back_end = cost.t1_seconds + n * cost.t2_seconds + cost.t3_seconds;
  const double by_front_end = n * cost.t1_seconds + cost.t2_seconds + cost.t3_seconds;
  return std::abs(measured - by_back_end) < std::abs(measured - by_front_end) ? "back_end"
                                                                              : "front_end";
}

/// `exercise`: answers the chapter's two questions with y = x + 1, x having each of the `elements`.
///
/// "On the CPU, can you still observe asynchrony through the back end?" Yes, where issuing takes
/// less than half of the total. "Why must 1000·t2 > 999·t1 be assumed?" t2 grows with x, t1 does
/// not: where t2/t1 passes 1, t1+n·t2+t3 becomes the formula that fits. `seconds_per_increment`
/// makes t1 large enough for t2/t1 to start below 1.
class ExerciseExperiment final : public TimedProgram {
 public:
  explicit ExerciseExperiment(const ExperimentContext& context) : TimedProgram(context) {
    for (const std::int64_t elements : program().elements) {
      sizes_.push_back(
          {.elements = elements,
           .series = std::make_unique<IncrementSeries>(
               program().fitted_operations, std::vector<std::int64_t>{program().increments})});
    }
  }

 protected:
  void set_up() override {
    for (Size& size : sizes_) size.x = at::ones({size.elements}, options());
  }

  void run_once(Repeat& /*repeat*/) override {
    for (Size& size : sizes_) {
      size.series->measure(session(),
                           {.x = size.x, .seconds_per_increment = program().seconds_per_increment});
    }
  }

  void forget_warmup() override {
    for (Size& size : sizes_) size.series->clear();
  }

  void add_results(Json& results) const override {
    bool is_observed = false;
    results["sizes"] = Json::array();
    for (const Size& size : sizes_) {
      const auto cost = size.series->cost();
      if (!cost) continue;
      const std::vector<IncrementRun> runs = size.series->runs().front();
      is_observed = is_observed || ran_ahead(runs);
      Json found = {{"elements", size.elements}};
      found.update(size.series->to_json());
      found["t2_over_t1"] = cost->t2_seconds / cost->t1_seconds;
      found["fitting_formula"] = fitting_formula(*cost, runs);
      results["sizes"].push_back(std::move(found));
    }
    results["asynchrony_observed"] = is_observed;
  }

 private:
  struct Size {
    std::int64_t elements = 0;
    torch::Tensor x{};
    std::unique_ptr<IncrementSeries> series{};
  };

  std::vector<Size> sizes_{};
};

}  // namespace

std::unique_ptr<Experiment> make_exercise(const ExperimentContext& context) {
  return std::make_unique<ExerciseExperiment>(context);
}

}  // namespace runahead::experiment
