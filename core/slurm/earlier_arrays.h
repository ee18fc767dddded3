#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/slurm/active_array.h"
#include "core/slurm/array_draft.h"

namespace runahead::slurm {

/// An array in the hands of a sweep.
struct HeldArray {
  ActiveArray array;
  bool is_earlier = false;         ///< An earlier sweep submitted it.
  bool is_superseded = false;      ///< Nothing of it counts; it only has to be gone.
  bool is_abandoned = false;       ///< It was not waited for any longer; it may still run.
  std::string told{};              ///< The progress that was told last.
  std::set<std::string> warned{};  ///< Names of the LastingReasons that were told.
};

/// What earlier sweeps left in a folder.
struct EarlierArrays {
  std::vector<std::unique_ptr<HeldArray>> arrays{};
  /// run_key to the array and the task that has it, or had it; of several the newest. Runs whose
  /// records were stored are not among them.
  std::map<std::string, std::pair<HeldArray*, std::int64_t>> tasks{};
};

/// Finds the arrays of the folder that are not closed. One with other limits, options or of another
/// version is cancelled, all are unless `takes_over`. Blocks for a command or two an array.
/// @throws Error if Slurm does not answer or a file is damaged.
[[nodiscard]] EarlierArrays find_earlier_arrays(const ArraySettings& settings, bool takes_over,
                                                SlurmClient& client);

/// For a fresh start without Slurm: closes what is open, so that no later sweep of the folder takes
/// it for its own, and warns of each array that was submitted. Slurm is not asked: it need not be
/// on this machine. @throws Error if a file cannot be read or written.
void close_earlier_arrays(const std::filesystem::path& sweep_folder);

}  // namespace runahead::slurm
