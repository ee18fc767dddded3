#pragma once

#include <functional>
#include <limits>
#include <string>

#include "core/reproduce/claim.h"
#include "core/reproduce/gpu_check_results.h"

/// Judges of the claims about a chart of configs/cuda. They compare `none` with `every_batch`, and
/// bytes in flight with what a policy admits.
namespace runahead::reproduce {

/// Figures of one chart; NaN if not measured.
class CudaFigures {
 public:
  /// @param measured, chart  Must outlive this.
  CudaFigures(const Measured& measured, const CudaChart& chart)
      : measured_(measured), chart_(chart) {}

  /// The median over the repeats of a policy.
  [[nodiscard]] double median(const std::string& policy, const std::string& pointer) const;
  [[nodiscard]] double highest(const std::string& policy, const std::string& pointer) const;

  /// Bytes of the inputs and targets of one batch.
  [[nodiscard]] double batch_bytes() const;
  /// How much higher the figure is with `none` than with `every_batch`.
  [[nodiscard]] double excess(const std::string& pointer) const;
  [[nodiscard]] double more_in_flight() const { return excess("/backlog/batches_peak"); }
  /// The bytes that `window` or `budget` admits.
  [[nodiscard]] double admitted_bytes(const std::string& policy) const;

  [[nodiscard]] const Measured& measured() const { return measured_; }
  [[nodiscard]] const CudaChart& chart() const { return chart_; }

 private:
  const Measured& measured_;
  const CudaChart& chart_;
};

/// A number of bytes and its bounds.
struct Bounded {
  double value = std::numeric_limits<double>::quiet_NaN();
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

using BoundOf = std::function<Bounded(const CudaFigures&)>;

/// The bytes are within their bounds, and `none` has at least `least_in_flight` more batches in
/// flight than `every_batch`. 0 skips the second condition.
[[nodiscard]] Judge in_bounds(const CudaChart& chart, double least_in_flight, BoundOf bound);

/// Every run of the chart has the same first and last loss.
[[nodiscard]] Judge losses_are_equal(const CudaChart& chart);

/// A batch takes the device several times as long as the front end: t1 <= `most` * t2. `predict`
/// fits no cost model, so there both come from the times of its batches.
[[nodiscard]] Judge batches_queue(const CudaChart& chart, double most);

}  // namespace runahead::reproduce
