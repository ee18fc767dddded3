#pragma once

#include <string>
#include <vector>

#include "core/reproduce/claim.h"
#include "core/reproduce/evidence.h"

/// Judges of most claims. Pointers are those of Measured::figure.
namespace runahead::reproduce {

/// A figure of a run.
struct Place {
  std::string run{};
  std::string pointer{};
};

/// The ratio of the medians of `part` and `whole` is within the limit.
[[nodiscard]] Judge share_of_medians(Place part, Limit share, Place whole);

/// The ratio of the minima is within the limit. Other load on the machine only adds to times.
[[nodiscard]] Judge share_of_least(Place part, Limit share, Place whole);

/// The median over the processes of `part` / `whole` is within the limit. The n-th processes of two
/// runs execute one after the other, so a drift of the machine's speed affects both.
[[nodiscard]] Judge share_of_pairs(Place part, Limit share, Place whole);

/// The fact holds.
[[nodiscard]] Judge fact_holds(Place fact);

/// The figure's median is within the limit.
[[nodiscard]] Judge median_is(Place figure, Limit limit);

/// The text is `expected`.
[[nodiscard]] Judge text_is(Place text, std::string expected);

/// All parts hold; not measured if one of them was not.
[[nodiscard]] Judge all_of(std::vector<Judge> parts);

/// "not measured", and why.
[[nodiscard]] Finding not_measured(const Measured& measured, const std::string& run);

/// Names of two runs that differ only in their number of batches.
struct RunPair {
  std::string shorter{};
  std::string longer{};
};

/// Each further batch raises the peak by at least half of a batch's inputs.
///
/// The peak is that of live bytes plus queued inputs, counted at every change, or RSS growth if the
/// device does not count them. A batch's inputs are batch_size × features float32 numbers. Figures
/// are medians over the processes.
[[nodiscard]] Judge peak_grows(RunPair runs);

/// Each further batch raises the peak, as above, by at most a tenth of a batch's inputs.
[[nodiscard]] Judge peak_is_constant(RunPair runs);

/// When the device is idle again, at least half of the RSS growth at the peak remains.
[[nodiscard]] Judge growth_is_left_in_the_end(std::string run);

}  // namespace runahead::reproduce
