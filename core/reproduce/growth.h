#pragma once

#include <string>

#include "core/reproduce/claim.h"

/// Growth of the memory peak with the number of batches, from two runs that differ only in it.
namespace runahead::reproduce {

/// Names of two runs of one experiment; the longer run has more batches.
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
