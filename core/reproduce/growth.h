#pragma once

#include <string>

#include "core/reproduce/claim.h"

/// How the peak of memory grows with the number of batches: two runs that differ in it alone.
namespace runahead::reproduce {

/// Runs of one experiment, the longer of more batches.
struct RunPair {
  std::string shorter{};
  std::string longer{};
};

/// Each further batch raises the peak by at least half of a batch's inputs.
///
/// The peak is that of live bytes and queued inputs, counted at every change; where the device does
/// not count, RSS growth. A batch's inputs are batch_size × features float32 numbers. Of several
/// processes the medians are taken.
[[nodiscard]] Judge peak_grows(RunPair runs);

/// Each further batch raises the peak, as above, by at most a tenth of a batch's inputs.
[[nodiscard]] Judge peak_is_constant(RunPair runs);

/// RSS when the device is idle again has kept at least half of what it had grown by at its peak.
[[nodiscard]] Judge growth_is_left_in_the_end(std::string run);

}  // namespace runahead::reproduce
